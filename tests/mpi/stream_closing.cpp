// Processes of a source close a stream after different frames. A process that detects this fails with a message,
// and no sink waits forever.
#include "support/closing.hpp"
#include "support/dropping.hpp"
#include "support/library.hpp"

#include <chrono>
#include <functional>

namespace dri::test {
namespace {

// Hands over frames, closes and destroys until a call fails. Only the first failure is returned.
int hand_over_and_go(Strip &source, int64_t frames) {
    int code = DRI_SUCCESS;
    const auto next = [&](const std::function<int()> &call) {
        if (code == DRI_SUCCESS)
            code = call();
    };
    for (int64_t f = 0; f < frames; ++f) {
        next([&] {
            source.fill(buffer_of<void>(source.xfer), f);
            return DRI_insert(source.xfer, nullptr);
        });
        next([&] { return DRI_acquire(source.xfer, nullptr); });
    }
    next([&] { return DRI_xfer_close(source.xfer); });
    next([&] { return source.xfer.reset(); });
    return code;
}

// The sink drops frames, so each process of the source waits for the first process's verdict on each frame.
// leaves: the first process destroys its endpoint at once.
TEST(ClosedAtDifferentFrames, ASourceLearnsWhereTheFirstProcessClosed) {
    const int rank = world().rank;
    if (world().size == 1)
        GTEST_SKIP() << "needs two processes of a source";
    for (const bool leaves : {true, false})
        for (const int nbuffs : {1, 2, 8})
            for (const int64_t closed_after : {0, 3}) {
                auto source = declare_patient("apart", {0, 1}, nbuffs, tall);
                const auto sink = declare_dropping("apart", {sink_process()}, 2, tall);
                commit(make_world());
                if (rank == 0) {
                    for (int64_t f = 0; f < closed_after; ++f) {
                        hand_over(*source, f);
                        acquire(source->xfer);
                    }
                    expect_success(DRI_xfer_close(source->xfer), "DRI_xfer_close");
                    if (leaves) {
                        EXPECT_EQ(source->xfer.reset(), DRI_SUCCESS) << DRI_error_message();
                    }
                }
                if (rank == 1) {
                    EXPECT_EQ(hand_over_and_go(*source, closed_after + 2), DRI_ERR_MISMATCH)
                        << DRI_error_message();
                    expect_apart(DRI_error_message(), 0, closed_after, 1, closed_after);
                    EXPECT_EQ(source->xfer.reset(), DRI_SUCCESS) << DRI_error_message();
                }
                barrier();
                if (sink) {
                    int code = DRI_SUCCESS;
                    while (code == DRI_SUCCESS)
                        code = DRI_do(nullptr, sink->xfer);
                    EXPECT_EQ(code, DRI_END_OF_STREAM) << DRI_error_message();
                }
            }
}

// The frame is handed over before the first process closes, so DRI_progress learns of it. DRI_progress itself
// succeeds. The next call fails as it would have failed itself, whichever it is. Later calls fail because the
// transfer is broken.
TEST(ClosedAtDifferentFrames, AMismatchFoundByProgressFailsTheNextCall) {
    const int rank = world().rank;
    if (world().size == 1)
        GTEST_SKIP() << "needs two processes of a source";
    const std::vector<std::function<int(Strip &)>> calls{
        [](Strip &endpoint) { return DRI_acquire(endpoint.xfer, nullptr); },
        [](Strip &endpoint) { return DRI_insert(endpoint.xfer, nullptr); },
        [](Strip &endpoint) { return DRI_start(nullptr, endpoint.xfer); },
        [](Strip &endpoint) { return DRI_xfer_close(endpoint.xfer); },
        [](Strip &endpoint) { return DRI_do(nullptr, endpoint.xfer); },
        [](Strip &endpoint) { return endpoint.xfer.reset(); },
    };
    for (const auto &call : calls) {
        auto source = declare_patient("apart", {0, 1}, 4, tall);
        const auto sink = declare_dropping("apart", {sink_process()}, 2, tall);
        commit(make_world());
        if (rank == 1)
            hand_over(*source, 0);
        barrier();
        if (rank == 0) {
            expect_success(DRI_xfer_close(source->xfer), "DRI_xfer_close");
        }
        barrier();
        if (rank == 1) {
            const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
            for (int polls = 0; polls < 1000 || std::chrono::steady_clock::now() < until; ++polls)
                expect_success(DRI_progress(), "DRI_progress");
            EXPECT_EQ(call(*source), DRI_ERR_MISMATCH) << DRI_error_message();
            expect_apart(DRI_error_message(), 0, 0, 1, 0);
            EXPECT_EQ(DRI_insert(source->xfer, nullptr), DRI_ERR_STATE) << DRI_error_message();
            EXPECT_NE(std::string(DRI_error_message()).find("is broken"), std::string::npos)
                << DRI_error_message();
            EXPECT_EQ(source->xfer.reset(), DRI_SUCCESS) << DRI_error_message();
        }
        barrier();
    }
}

// Process 1 closes before process 0, which continues.
TEST(ClosedAtDifferentFrames, ADroppingSinkLearnsOfTheMissingPart) {
    const int rank = world().rank;
    if (world().size == 1)
        GTEST_SKIP() << "needs two processes of a source";
    for (const bool leaves : {true, false}) {
        auto source = declare_patient("apart", {0, 1}, 2, tall);
        auto sink = declare_dropping("apart", {sink_process()}, 2, tall);
        commit(make_world());
        constexpr int64_t closed_after = under_way;
        for (int64_t f = 0; source && f < closed_after; ++f) {
            hand_over(*source, f);
            acquire(source->xfer);
        }
        if (rank == 1) {
            expect_success(DRI_xfer_close(source->xfer), "DRI_xfer_close");
            if (leaves) {
                EXPECT_EQ(source->xfer.reset(), DRI_SUCCESS) << DRI_error_message();
            }
        }
        Got got;
        for (int64_t f = 0; sink && f < closed_after; ++f)
            EXPECT_EQ(got.extract(*sink), DRI_SUCCESS) << DRI_error_message();
        meet();
        if (rank == 0) {
            for (int64_t f = closed_after; f < 1000000; ++f) { // until a frame is not dropped
                hand_over(*source, f);
                acquire(source->xfer);
                const Info info(source->xfer);
                if (info.frames - info.dropped > closed_after)
                    break;
            }
        }
        if (sink) {
            EXPECT_EQ(DRI_extract(sink->xfer, nullptr, nullptr), DRI_ERR_MISMATCH) << DRI_error_message();
            expect_apart(DRI_error_message(), 1, closed_after, 0, closed_after);
            EXPECT_NE(DRI_extract(sink->xfer, nullptr, nullptr), DRI_SUCCESS) << "again";
            EXPECT_EQ(sink->xfer.reset(), DRI_SUCCESS) << DRI_error_message();
        }
        if (source) {
            EXPECT_EQ(source->xfer.reset(), DRI_SUCCESS) << DRI_error_message();
        }
        barrier();
    }
}

// Sinks that receive by the direct way, by messages, and from their own process, in blocking calls and in polling
// ones.
TEST(ClosedAtDifferentFrames, AHoldingSinkLearnsOfTheMissingPart) {
    const int rank = world().rank, size = world().size;
    if (size == 1)
        GTEST_SKIP() << "needs two processes of a source";
    enum class Waits { without_end, at_most, polls };
    for (const StripShape shape : {narrow, tall})
        for (const bool leaves : {true, false})
            for (const Waits waits : {Waits::without_end, Waits::at_most, Waits::polls}) {
                auto source = declare_stream("apart", {0, 1}, 4, shape);
                auto sink = declare_strip("apart", DRI_SINK, all_ranks(), 2, shape);
                if (waits == Waits::at_most)
                    set_timeout(sink->xfer, 60000);
                commit(make_world());
                const int64_t mine = rank == 0 ? 3 : 2;
                for (int64_t f = 0; source && f < mine; ++f) {
                    hand_over(*source, f);
                    acquire(source->xfer);
                }
                if (source) {
                    expect_success(DRI_xfer_close(source->xfer), "DRI_xfer_close");
                }
                Got got;
                for (int64_t f = 0; f < 2; ++f)
                    EXPECT_EQ(got.extract(*sink), DRI_SUCCESS) << DRI_error_message();
                if (rank == 1 && leaves) {
                    EXPECT_EQ(source->xfer.reset(), DRI_SUCCESS) << DRI_error_message();
                }
                int code = DRI_SUCCESS, done = 0;
                if (waits == Waits::polls) {
                    expect_success(DRI_start(nullptr, sink->xfer), "DRI_start");
                    while (code == DRI_SUCCESS && !done)
                        code = DRI_test(nullptr, sink->xfer, &done);
                } else {
                    code = DRI_extract(sink->xfer, nullptr, nullptr);
                }
                if (sink->is_empty()) { // an empty sink receives the frame header, and then the end of stream
                    EXPECT_EQ(code, DRI_SUCCESS) << DRI_error_message();
                    EXPECT_EQ(DRI_do(nullptr, sink->xfer), DRI_END_OF_STREAM) << DRI_error_message();
                } else {
                    EXPECT_EQ(code, DRI_ERR_MISMATCH) << DRI_error_message();
                    expect_apart(DRI_error_message(), 1, 2, 0, 2);
                }
                EXPECT_EQ(sink->xfer.reset(), DRI_SUCCESS) << DRI_error_message();
                if (source) {
                    EXPECT_EQ(source->xfer.reset(), DRI_SUCCESS) << DRI_error_message();
                }
            }
}

} // namespace
} // namespace dri::test
