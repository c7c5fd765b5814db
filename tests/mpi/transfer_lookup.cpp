// Which endpoints a call means: threads remember what they found, and other threads destroy it meanwhile.
#include "support/objects.hpp"
#include "support/world.hpp"

#include "api/state.hpp"

#include <mpi.h>

#include <atomic>
#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace dri::test {
namespace {

// A transfer inside this process.
struct Local {
    std::string name;
    Xfer source, sink;

    explicit Local(std::string named) : name(std::move(named)) {
        const Group alone = make_group({world().rank});
        const Dist dist = make_dist(make_gdo({1}, DRI_INT32), make_blocks(1, 0), alone);
        source = make_xfer(name, DRI_SOURCE, dist), sink = make_xfer(name, DRI_SINK, dist);
        commit(alone);
    }
    // Sends a number in one of three ways, and returns what arrives.
    int send(int number, int way) const {
        *buffer_of<int>(source) = number;
        if (way == 0) {
            expect_success(DRI_do(name.c_str(), DRI_XFER_NULL), "DRI_do");
        } else if (way == 1) {
            expect_success(DRI_start(nullptr, sink), "DRI_start");
            expect_success(DRI_do(name.c_str(), source), "DRI_do");
            expect_success(DRI_wait(name.c_str(), DRI_XFER_NULL), "DRI_wait");
        } else {
            expect_success(DRI_insert(source, nullptr), "DRI_insert");
            DRI_release(sink); // fails without an earlier frame
            void *buffer = nullptr;
            expect_success(DRI_extract(sink, &buffer, nullptr), "DRI_extract");
            const int arrived = *static_cast<const int *>(buffer);
            expect_success(DRI_release(sink), "DRI_release");
            expect_success(DRI_acquire(source, nullptr), "DRI_acquire");
            return arrived;
        }
        return *buffer_of<int>(sink);
    }
};

// More transfers than a thread remembers. Some names differ in a letter only.
TEST(Lookup, ManyTransfersAreUsedAlternately) {
    std::deque<Local> all;
    for (int i = 0; i < 90; ++i)
        all.emplace_back("stage " + std::to_string(i % 2 ? i : i * 100) + (i % 3 ? "" : " of many"));
    for (int frame = 0; frame < 6; ++frame)
        for (size_t i = 0; i < all.size(); ++i)
            EXPECT_EQ(all[i].send(frame * 1000 + static_cast<int>(i), frame % 3),
                      frame * 1000 + static_cast<int>(i));
}

TEST(Lookup, ANameMeansItsNewEndpointsAfterTheOldOnesAreDestroyed) {
    for (int round = 0; round < 5; ++round) {
        Local local("again");
        for (int way = 0; way < 3; ++way)
            EXPECT_EQ(local.send(round * 3 + way, way), round * 3 + way);
        const DRI_Xfer old = local.sink;
        local.sink.reset();
        EXPECT_EQ(DRI_do(nullptr, old), DRI_ERR_HANDLE);
        EXPECT_EQ(DRI_release(old), DRI_ERR_HANDLE);
        EXPECT_EQ(DRI_extract(old, nullptr, nullptr), DRI_ERR_HANDLE);
        local.source.reset();
        EXPECT_EQ(DRI_do("again", DRI_XFER_NULL), DRI_ERR_ARG);
    }
}

TEST(Lookup, NamesAndHandlesMustBelongTogether) {
    const Local first("first"), second("second");
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(first.send(i, 1), i);
        EXPECT_EQ(DRI_do("first", second.source), DRI_ERR_ARG);
        const std::string message = DRI_error_message();
        EXPECT_NE(message.find("'second', not of 'first'"), std::string::npos) << message;
        EXPECT_EQ(DRI_acquire(first.sink, nullptr), DRI_ERR_ARG);
        EXPECT_EQ(DRI_release(first.source), DRI_ERR_ARG);
    }
}

// A thread that rests after its frames does not keep a destroyed transfer in memory, and afterwards does not find
// it.
TEST(Lookup, AThreadKeepsNoDestroyedTransfer) {
    auto local = std::make_unique<Local>("elsewhere");
    const std::weak_ptr<dri::commit::Endpoint> endpoint = dri::api::get(DRI_Xfer(local->source));
    const DRI_Xfer source = local->source;
    std::atomic<int> step = 0;
    std::thread user([&] {
        EXPECT_EQ(local->send(7, 0), 7);
        EXPECT_EQ(local->send(8, 1), 8);
        step = 1;
        while (step != 2)
            std::this_thread::yield();
        EXPECT_EQ(DRI_do("elsewhere", DRI_XFER_NULL), DRI_ERR_ARG);
        EXPECT_EQ(DRI_insert(source, nullptr), DRI_ERR_HANDLE);
    });
    while (step != 1)
        std::this_thread::yield();
    EXPECT_EQ(local->send(9, 0), 9);
    local.reset();
    EXPECT_TRUE(endpoint.expired());
    step = 2;
    user.join();
}

// Each call either succeeds or reports that the endpoint is gone. The users yield between their calls: a thread
// that loses its core within a call would keep the endpoint from being destroyed for a whole time slice.
TEST(Lookup, EndpointsAreDestroyedWhileThreadsUseThem) {
    for (int round = 0; round < 40; ++round) {
        auto local = std::make_unique<Local>("racing");
        const DRI_Xfer handle = local->sink;
        std::atomic<int> running = 0;
        std::vector<std::thread> users;
        for (int u = 0; u < 2; ++u)
            users.emplace_back([&, u] {
                ++running;
                int code = DRI_SUCCESS;
                while (code == DRI_SUCCESS || code == DRI_ERR_STATE) {
                    int done = 0;
                    code = u == 0 ? DRI_test("racing", DRI_XFER_NULL, &done) : DRI_test(nullptr, handle, &done);
                    std::this_thread::yield();
                }
                EXPECT_EQ(code, u == 0 ? DRI_ERR_ARG : DRI_ERR_HANDLE) << DRI_error_message();
            });
        while (running < 2)
            std::this_thread::yield();
        for (Xfer *endpoint : {&local->source, &local->sink}) {
            DRI_Xfer copy = *endpoint;
            while (DRI_xfer_destroy(&copy) == DRI_ERR_STATE) // another thread's test is just in progress
                std::this_thread::yield();
            *endpoint->out() = {};
        }
        for (std::thread &user : users)
            user.join();
    }
}

} // namespace
} // namespace dri::test
