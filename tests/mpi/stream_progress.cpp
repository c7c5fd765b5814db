// DRI_ATTR_PROGRESS_THREAD: frames move while no thread of the program calls the library.
#include "support/library.hpp"
#include "support/line.hpp"
#include "support/message_bytes.hpp"
#include "support/shared_flag.hpp"
#include "support/thread_test.hpp"
#include "support/threads_here.hpp"

namespace dri::test {
namespace {

using ProgressThread = ThreadTest;

// Each frame of the source needs the sink's process, which waits for a flag in memory and makes no calls.
TEST_F(ProgressThread, FillsASinkWhoseProcessCallsNothing) {
    if (last_ == 0)
        GTEST_SKIP() << "needs two processes";
    for (const bool in_rounds : {false, true}) {
        const Line line("ahead", 0, last_, {200, 120}, 1, 4);
        if (in_rounds)
            line.send_in_rounds();
        if (line.sink)
            line.set(DRI_ATTR_PROGRESS_THREAD, 1);
        commit(all_);
        SharedFlag handed_over;
        for (int64_t frame = 0; frame < 3; ++frame) {
            line.insert_frame(frame);
            line.acquire_next();
        }
        if (line.source)
            handed_over.raise();
        handed_over.wait();
        for (int64_t frame = 0; frame < 3; ++frame)
            line.take_frame(frame);
    }
}

// The source inserts frames that are sent in many rounds. Its process makes no calls until all have arrived.
TEST_F(ProgressThread, SendsFramesOfASourceWhoseProcessCallsNothing) {
    if (last_ == 0)
        GTEST_SKIP() << "needs two processes";
    const Line line("inserted", 0, last_, {200, 120}, 3, 1);
    line.send_in_rounds();
    if (line.source)
        line.set(DRI_ATTR_PROGRESS_THREAD, 1);
    commit(all_);
    SharedFlag arrived;
    if (line.source)
        acquire(line.source->xfer);
    for (int64_t frame = 0; frame < 2; ++frame)
        line.insert_frame(frame);
    for (int64_t frame = 0; frame < 2; ++frame)
        line.take_frame(frame);
    if (line.sink)
        arrived.raise();
    arrived.wait();
}

// With a second free buffer the source need not wait until its messages are sent.
TEST_F(ProgressThread, LetsASourceContinueBeforeItsMessages) {
    if (last_ == 0)
        GTEST_SKIP() << "needs two processes";
    const Line line("left to it", 0, last_, {200, 120}, 2, 1);
    line.send_in_rounds();
    if (line.source)
        line.set(DRI_ATTR_PROGRESS_THREAD, 1);
    commit(all_);
    SharedFlag goes_on;
    if (line.source) {
        line.source->fill(buffer_of<void>(line.source->xfer), 5);
        expect_success(DRI_do(nullptr, line.source->xfer), "DRI_do");
        goes_on.raise();
    }
    goes_on.wait();
    line.take_frame(5);
}

TEST_F(ProgressThread, IsSharedByAllEndpointsAndStopsWithTheLast) {
    const auto before = threads_settled();
    const std::vector<int> all = all_ranks();
    {
        Strip source = *declare_strip("asks", DRI_SOURCE, all, 2), sink = *declare_strip("asks", DRI_SINK, all, 2);
        const Strip other_source = *declare_strip("does not", DRI_SOURCE, all, 2),
                    other_sink = *declare_strip("does not", DRI_SINK, all, 2);
        for (const DRI_Xfer xfer : {DRI_Xfer(source.xfer), DRI_Xfer(sink.xfer)})
            expect_success(DRI_xfer_set_attr(xfer, DRI_ATTR_PROGRESS_THREAD, 1), "DRI_xfer_set_attr");
        EXPECT_EQ(threads_here(), before) << "the thread starts at the commit";
        commit(all_);
        EXPECT_EQ(threads_here(), before + 1);
        EXPECT_NE(explain(source.xfer).find(", a progress thread"), std::string::npos) << explain(source.xfer);
        EXPECT_EQ(explain(other_source.xfer).find("progress thread"), std::string::npos);
        EXPECT_EQ(sink.xfer.reset(), DRI_SUCCESS) << DRI_error_message();
        EXPECT_EQ(threads_here(), before + 1);
        EXPECT_EQ(source.xfer.reset(), DRI_SUCCESS) << DRI_error_message();
        EXPECT_TRUE(threads_come_to(before)) << "the others have not requested it";
        EXPECT_EQ(DRI_xfer_set_attr(other_source.xfer, DRI_ATTR_PROGRESS_THREAD, 1), DRI_ERR_STATE);
    }
}

TEST_F(ProgressThread, LeavesFramesWhole) {
    const std::vector<int> all = all_ranks();
    for (const int n : {1, 2})
        for (int round = 0; round < 3; ++round) {
            const Strip source = *declare_strip("whole", DRI_SOURCE, all, n, {60, 50}),
                        sink = *declare_strip("whole", DRI_SINK, all, n, {60, 50});
            expect_success(DRI_xfer_set_attr(source.xfer, DRI_ATTR_PROGRESS_THREAD, 1), "DRI_xfer_set_attr");
            commit(all_);
            for (int64_t frame = 0; frame < 20; ++frame) {
                source.fill(buffer_of<void>(source.xfer), frame);
                ASSERT_EQ(DRI_do("whole", DRI_XFER_NULL), DRI_SUCCESS) << DRI_error_message();
                EXPECT_EQ(sink.wrong(buffer_of<void>(sink.xfer), frame), 0) << frame;
            }
        }
}

// The caller may change the sink's frame, and the progress thread no longer reads that buffer.
TEST_F(ProgressThread, DoesNotTouchTheBufferInPlace) {
    const std::vector<int> all = all_ranks();
    for (const int n : {1, 2}) {
        const Strip source = *declare_strip("one buffer", DRI_SOURCE, all, n, {60, 50}),
                    sink = *declare_strip("one buffer", DRI_SINK, all, n, {60, 50});
        for (const DRI_Xfer xfer : {DRI_Xfer(source.xfer), DRI_Xfer(sink.xfer)}) {
            expect_success(DRI_xfer_set_attr(xfer, DRI_ATTR_PROGRESS_THREAD, 1), "DRI_xfer_set_attr");
            expect_success(DRI_xfer_set_attr(xfer, DRI_ATTR_IN_PLACE, 1), "DRI_xfer_set_attr");
            set_message_bytes(xfer, 40);
        }
        commit(all_);
        for (int64_t frame = 0; frame < 30; ++frame) {
            source.fill(buffer_of<void>(source.xfer), frame);
            ASSERT_EQ(DRI_do("one buffer", DRI_XFER_NULL), DRI_SUCCESS) << DRI_error_message();
            auto *const buffer = buffer_of<int32_t>(sink.xfer);
            EXPECT_EQ(sink.wrong(buffer, frame), 0) << frame;
            if (n > 1)
                std::fill_n(buffer, sink.part.elements(), -1);
        }
    }
}

// A transfer whose source was destroyed fails for its caller. The thread continues with the other transfers.
TEST_F(ProgressThread, OutlivesATransferThatFails) {
    if (last_ == 0)
        GTEST_SKIP() << "needs two processes";
    Line fails("fails", 0, last_, {14, 9}, 1, 3), line("goes on", 0, last_, {14, 9}, 1, 3);
    if (line.sink)
        line.set(DRI_ATTR_PROGRESS_THREAD, 1);
    commit(all_);
    SharedFlag handed_over;
    if (fails.source) {
        EXPECT_EQ(fails.source->xfer.reset(), DRI_SUCCESS) << DRI_error_message();
    }
    if (fails.sink) {
        EXPECT_EQ(DRI_extract(fails.sink->xfer, nullptr, nullptr), DRI_ERR_STATE);
    }
    for (int64_t frame = 0; frame < 2; ++frame) {
        line.insert_frame(frame);
        line.acquire_next();
    }
    if (line.source)
        handed_over.raise();
    handed_over.wait();
    line.take_frame(0);
    line.take_frame(1);
}

TEST_F(ProgressThread, StopsWithTheLibrary) {
    const auto before = threads_settled();
    const std::vector<int> all = all_ranks();
    {
        Strip source = *declare_strip("left behind", DRI_SOURCE, all, 2),
              sink = *declare_strip("left behind", DRI_SINK, all, 2);
        expect_success(DRI_xfer_set_attr(sink.xfer, DRI_ATTR_PROGRESS_THREAD, 1), "DRI_xfer_set_attr");
        commit(all_);
        source.fill(buffer_of<void>(source.xfer), 1);
        insert(source.xfer);
        expect_success(DRI_finalize(), "DRI_finalize");
        EXPECT_TRUE(threads_come_to(before));
    }
    expect_success(DRI_init_comm(MPI_COMM_WORLD), "DRI_init_comm");
}

} // namespace
} // namespace dri::test
