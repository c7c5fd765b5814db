// Processes of a source set different offsets of a window, and a helper detects it. The next call reports it.
#include "support/good_turn.hpp"
#include "support/library.hpp"
#include "support/strip.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace dri::test {
namespace {

// Samples by sensors, cut along the sensors. Process 0 receives a stretch of the samples from all. Its sink is
// filled two frames ahead.
struct SourceApart {
    static constexpr int64_t samples = 40, length = 12;
    bool takes = world().rank == 0;
    Xfer source, sink;

    SourceApart(int64_t ways, bool thread) {
        const Group all = make_world();
        const int64_t sensors = 2 * world().size, zeros[2]{}, sizes[]{length, sensors};
        const Gdo whole = make_gdo({samples, sensors}, DRI_INT32);
        Gdo stretch;
        expect_success(DRI_gdo_subset(whole, zeros, sizes, stretch.out()), "DRI_gdo_subset");
        source = make_xfer("apart", DRI_SOURCE, make_dist(whole, make_blocks(2, 1), all), DRI_ROW_MAJOR, 4);
        set_up(source, ways, thread);
        expect_success(DRI_xfer_set_attr(source, DRI_ATTR_REBASE, 1), "DRI_xfer_set_attr");
        if (takes) {
            sink = make_xfer("apart", DRI_SINK, make_dist(stretch, make_blocks(2, 0), make_group({0})),
                             DRI_ROW_MAJOR, 3);
            set_up(sink, ways, thread);
        }
        commit(all);
        // Hands over a correct frame, and one for which the last process sets a different offset. The calls of the
        // sink's process are too early to detect it.
        if (takes)
            hand_over();
        barrier();
        if (!takes)
            hand_over();
        barrier();
    }
    int rebase(int64_t at) const {
        const int64_t offset[]{at, 0};
        return DRI_xfer_rebase(source, offset);
    }
    // Expects the failure, and that later calls find the transfer broken.
    void expect_told(int code) const {
        const std::string message = DRI_error_message();
        EXPECT_EQ(code, DRI_ERR_MISMATCH) << message;
        for (const std::string &word : std::vector<std::string>{"'apart'", "frame 1", "[4,0]", "[5,0]",
                                                                "process " + std::to_string(world().size - 1)})
            EXPECT_NE(message.find(word), std::string::npos) << word << ": " << message;
        EXPECT_EQ(DRI_extract(sink, nullptr, nullptr), DRI_ERR_STATE);
        EXPECT_NE(std::string(DRI_error_message()).find("is broken"), std::string::npos) << DRI_error_message();
    }
    void end() {
        barrier();
        EXPECT_EQ(sink.reset(), DRI_SUCCESS) << DRI_error_message();
        EXPECT_EQ(source.reset(), DRI_SUCCESS) << DRI_error_message();
        expect_good_turn();
    }

private:
    static void set_up(DRI_Xfer endpoint, int64_t ways, bool thread) {
        expect_success(DRI_xfer_set_attr(endpoint, DRI_ATTR_WAYS, ways), "DRI_xfer_set_attr");
        expect_success(DRI_xfer_set_attr(endpoint, DRI_ATTR_PROGRESS_THREAD, thread), "DRI_xfer_set_attr");
    }
    void hand_over() const {
        for (const int frame : {0, 1}) {
            EXPECT_EQ(rebase(frame == 1 && world().rank == world().size - 1 ? 5 : 4), DRI_SUCCESS);
            insert(source);
            acquire(source);
        }
    }
};

// The wrong frame arrives while no call waits for it, so DRI_progress detects it. DRI_progress itself succeeds.
// The next call fails as an extract of that frame would have, whichever it is.
TEST(WindowsAtDifferentOffsets, FoundByProgressFailTheNextCall) {
    if (world().size == 1)
        GTEST_SKIP() << "needs two processes of a source";
    const std::vector<std::function<int(const SourceApart &)>> calls{
        [](const SourceApart &apart) { return DRI_extract(apart.sink, nullptr, nullptr); },
        [](const SourceApart &apart) { return DRI_insert(apart.source, nullptr); },
        [](const SourceApart &apart) { return DRI_acquire(apart.source, nullptr); },
        [](const SourceApart &apart) { return apart.rebase(4); },
    };
    for (const int64_t ways : {7, 2})
        for (const auto &call : calls) {
            SourceApart apart(ways, false);
            const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
            for (int polls = 0; polls < 1000 || std::chrono::steady_clock::now() < until; ++polls)
                expect_success(DRI_progress(), "DRI_progress");
            if (apart.takes)
                apart.expect_told(call(apart));
            apart.end();
        }
}

// DRI_xfer_rebase waits for nothing and moves no frame. So it fails only because the thread has found the
// mismatch.
TEST(WindowsAtDifferentOffsets, AreFoundByTheProgressThread) {
    int granted = MPI_THREAD_SINGLE;
    MPI_Query_thread(&granted);
    if (world().size == 1 || granted < MPI_THREAD_MULTIPLE)
        GTEST_SKIP() << "needs two processes of a source, and threads";
    for (const int64_t ways : {7, 2}) {
        SourceApart apart(ways, true);
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        int code = DRI_SUCCESS;
        while (apart.takes && code == DRI_SUCCESS && std::chrono::steady_clock::now() < until)
            code = apart.rebase(4);
        if (apart.takes)
            apart.expect_told(code);
        apart.end();
    }
}

} // namespace
} // namespace dri::test
