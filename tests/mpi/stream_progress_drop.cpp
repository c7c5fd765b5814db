// DRI_ATTR_PROGRESS_THREAD with sinks that drop frames.
#include "support/dropping.hpp"
#include "support/library.hpp"
#include "support/shared_flag.hpp"
#include "support/thread_test.hpp"

#include <chrono>
#include <thread>

namespace dri::test {
namespace {

using ProgressThreadDrop = ThreadTest;

// The thread fills the sink's buffers, and as many more frames are sent. Without it only those under way are sent.
TEST_F(ProgressThreadDrop, FillsASinkWhoseProcessCallsNothing) {
    if (last_ == 0)
        GTEST_SKIP() << "needs two processes";
    for (const StripShape shape : {narrow, tall})
        for (const int nbuffs : {2, 4}) {
            const auto source = declare_patient("fills", {0}, 2, shape),
                       sink = declare_dropping("fills", {last_}, nbuffs, shape);
            set_attr(sink, DRI_ATTR_PROGRESS_THREAD, 1);
            commit(all_);
            SharedFlag handed_over;
            const int64_t capacity = nbuffs - 1 + under_way;
            if (source) {
                const auto kept = [&] { return Info(source->xfer).frames - Info(source->xfer).dropped; };
                const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(long_enough_ms);
                int64_t f = 0;
                const auto frame = [&] {
                    hand_over(*source, f++);
                    acquire(source->xfer);
                };
                while (kept() < capacity && std::chrono::steady_clock::now() < until)
                    frame();
                for (int i = 0; i < 20; ++i)
                    frame();
                EXPECT_EQ(kept(), capacity);
                expect_success(DRI_xfer_close(source->xfer), "DRI_xfer_close");
                handed_over.raise();
            }
            handed_over.wait();
            if (sink) {
                Got got;
                got.extract_all(*sink);
                EXPECT_EQ(std::ssize(got.numbers), capacity);
            }
        }
}

// The first process decides on a frame that the second one has handed over. The second one makes no more calls.
TEST_F(ProgressThreadDrop, ReceivesVerdictsWhileItsProcessCallsNothing) {
    if (last_ < 2)
        GTEST_SKIP() << "needs two processes of a source beside the sink's";
    const int rank = world().rank;
    for (const StripShape shape : {narrow, tall}) {
        const auto source = declare_patient("hears", {0, 1}, 2, shape),
                   sink = declare_dropping("hears", {last_}, 1, shape);
        if (sink)
            set_timeout(sink->xfer, long_enough_ms);
        set_attr(source, DRI_ATTR_PROGRESS_THREAD, 1);
        commit(all_);
        SharedFlag handed_over, arrived;
        if (rank == 1) {
            hand_over(*source, 0);
            handed_over.raise();
        }
        if (rank == 0) {
            handed_over.wait();
            hand_over(*source, 0);
        }
        if (sink) {
            Got got;
            EXPECT_EQ(got.extract(*sink), DRI_SUCCESS) << DRI_error_message();
            arrived.raise();
        }
        arrived.wait();
    }
}

TEST_F(ProgressThreadDrop, LeavesFramesWhole) {
    if (last_ == 0)
        GTEST_SKIP() << "needs two processes";
    const int size = world().size;
    std::vector<int> others;
    for (int p = size / 2; p < size; ++p)
        others.push_back(p);
    for (const int nbuffs : {1, 3}) {
        auto source = declare_patient("whole", ranks(size / 2), nbuffs, tall);
        const auto sink = declare_dropping("whole", others, nbuffs, tall);
        set_attr(source, DRI_ATTR_PROGRESS_THREAD, 1);
        set_attr(sink, DRI_ATTR_PROGRESS_THREAD, 1);
        commit(all_);
        constexpr int64_t frames = 150;
        std::optional<Got> got;
        if (source) {
            for (int64_t f = 0; f < frames; ++f) {
                hand_over(*source, f);
                acquire(source->xfer);
                if (f % 10 == 0)
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
            expect_success(DRI_xfer_close(source->xfer), "DRI_xfer_close");
            EXPECT_EQ(source->xfer.reset(), DRI_SUCCESS) << DRI_error_message();
        } else {
            got.emplace();
            got->extract_all(*sink);
            EXPECT_EQ(Info(sink->xfer).frames, std::ssize(got->numbers));
            EXPECT_EQ(Info(sink->xfer).dropped, frames - std::ssize(got->numbers));
        }
        expect_same_everywhere(got);
    }
}

} // namespace
} // namespace dri::test
