// Several threads destroy one endpoint or query it meanwhile. One of them destroys it, the others get an error.
#include "support/dropping.hpp"
#include "support/library.hpp"

#include <atomic>
#include <thread>

namespace dri::test {
namespace {

bool thread_may_call() {
    int granted = MPI_THREAD_SINGLE;
    MPI_Query_thread(&granted);
    return granted >= MPI_THREAD_MULTIPLE;
}

// How often each process tries, so that a job tries as often on any number of processes: each is a race of its
// own.
int rounds(int of_job) { return (of_job + world().size - 1) / world().size; }

// Runs f(i) on two threads at the same time.
template <class F> void on_two(F f) {
    std::atomic<int> here = 0;
    const auto run = [&](int i) {
        ++here;
        while (here < 2)
            std::this_thread::yield();
        f(i);
    };
    std::thread other([&] { run(1); });
    run(0);
    other.join();
}

TEST(DestroyedByTwoThreads, OneSucceedsAndTheOtherFails) {
    if (!thread_may_call())
        GTEST_SKIP() << "this MPI allows calls of one thread only";
    for (int round = 0; round < rounds(120); ++round) {
        auto source = declare_stream("twice", all_ranks(), 2, {14, 9});
        auto sink = declare_strip("twice", DRI_SINK, all_ranks(), 2);
        for (const auto *endpoint : {&source, &sink})
            set_attr(*endpoint, DRI_ATTR_PROGRESS_THREAD, round % 2);
        commit(make_world());
        source->fill(buffer_of<void>(source->xfer), round);
        expect_success(DRI_do("twice", DRI_XFER_NULL), "DRI_do");
        EXPECT_EQ(sink->wrong(buffer_of<void>(sink->xfer), round), 0);
        for (Strip *endpoint : {&*sink, &*source}) {
            std::atomic<int> did = 0;
            on_two([&](int) {
                DRI_Xfer handle = endpoint->xfer;
                int code = DRI_xfer_destroy(&handle);
                while (code == DRI_ERR_STATE) { // until the endpoint is destroyed
                    EXPECT_EQ(handle.id, endpoint->xfer.get().id);
                    const std::string message = DRI_error_message();
                    EXPECT_TRUE(message.find("'twice'") != std::string::npos &&
                                message.find("another thread") != std::string::npos)
                        << message;
                    code = DRI_xfer_destroy(&handle);
                }
                did += code == DRI_SUCCESS;
                EXPECT_EQ(code, handle.id == 0 ? DRI_SUCCESS : DRI_ERR_HANDLE) << DRI_error_message();
            });
            EXPECT_EQ(did, 1);
            *endpoint->xfer.out() = {};
        }
        barrier();
    }
}

// Queries that are allowed at any time return a result until the endpoint is destroyed.
TEST(DestroyedByTwoThreads, AnEndpointMayBeQueriedMeanwhile) {
    if (!thread_may_call())
        GTEST_SKIP() << "this MPI allows calls of one thread only";
    for (int round = 0; round < rounds(80); ++round) {
        auto source = declare_stream("asked", all_ranks(), 3, {14, 9});
        auto sink = declare_strip("asked", DRI_SINK, all_ranks(), 3);
        commit(make_world());
        const int64_t bytes[2]{Info(source->xfer).workspace_bytes, Info(sink->xfer).workspace_bytes};
        for (Strip *endpoint : {&*sink, &*source}) {
            on_two([&](int i) {
                DRI_Xfer handle = endpoint->xfer;
                if (i == 0) {
                    EXPECT_EQ(DRI_xfer_destroy(&handle), DRI_SUCCESS) << DRI_error_message();
                    return;
                }
                DRI_Xfer_info info{};
                int n = 0, code = DRI_SUCCESS;
                char text[1000];
                while (code == DRI_SUCCESS) {
                    code = DRI_xfer_get_info(handle, &info);
                    if (code == DRI_SUCCESS) {
                        EXPECT_EQ(info.workspace_bytes, bytes[endpoint == &*sink]);
                        code = DRI_xfer_get_times(handle, 0, nullptr, &n);
                    }
                    if (code == DRI_SUCCESS)
                        code = DRI_xfer_explain(handle, text, sizeof text);
                }
                EXPECT_EQ(code, DRI_ERR_HANDLE) << DRI_error_message();
            });
            *endpoint->xfer.out() = {};
        }
        barrier();
    }
}

// A call that waits keeps the endpoint: it cannot be destroyed meanwhile.
TEST(DestroyedByTwoThreads, NotWhileACallWaits) {
    if (!thread_may_call())
        GTEST_SKIP() << "this MPI allows calls of one thread only";
    const int last = world().size - 1;
    auto source = declare_strip("waits", DRI_SOURCE, {0}, 1);
    auto sink = declare_strip("waits", DRI_SINK, {last}, 1);
    if (sink)
        set_timeout(sink->xfer, 60000);
    commit(make_world());
    if (sink && last > 0) {
        std::atomic<int> code = -1;
        std::thread user([&] {
            do
                code = DRI_do(nullptr, sink->xfer);
            while (code == DRI_ERR_STATE); // the other thread's query is just in progress
        });
        DRI_Xfer handle = sink->xfer;
        int refused = 0;
        while (refused == 0) { // once the other thread is in its call
            int done = 0;
            refused = DRI_test(nullptr, handle, &done) == DRI_ERR_STATE &&
                      std::string(DRI_error_message()).find("another thread") != std::string::npos;
            std::this_thread::yield();
        }
        EXPECT_EQ(DRI_xfer_destroy(&handle), DRI_ERR_STATE);
        EXPECT_NE(std::string(DRI_error_message()).find("another thread"), std::string::npos)
            << DRI_error_message();
        barrier();
        user.join();
        EXPECT_EQ(code, DRI_SUCCESS) << DRI_error_message();
        EXPECT_EQ(sink->wrong(buffer_of<void>(sink->xfer), 5), 0);
    } else {
        barrier();
    }
    if (source && last > 0) {
        source->fill(buffer_of<void>(source->xfer), 5);
        expect_success(DRI_do(nullptr, source->xfer), "DRI_do");
    }
    barrier();
}

} // namespace
} // namespace dri::test
