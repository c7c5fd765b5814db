// A process of a source has left, or has found that it differs about the end, before the others have finished. No
// process waits for it any more, and the messages of the others are true.
#include "support/closing.hpp"
#include "support/dropping.hpp"
#include "support/library.hpp"

#include <chrono>
#include <string>
#include <thread>

namespace dri::test {
namespace {

// A sink on the calling process that receives what the first of two source processes holds.
Xfer declare_first_rows(const std::string &name, StripShape shape) {
    const Part rows = make_exact({{0, 0, shape.rows / 2, 0}, {0, 0, shape.columns, 0}});
    const Dist dist =
        make_dist(make_gdo({shape.rows, shape.columns}, DRI_INT32), rows, make_group({world().rank}));
    return make_xfer(name, DRI_SINK, dist, DRI_ROW_MAJOR, 2);
}

void expect_gone(int code, int peer, int64_t frames) {
    EXPECT_EQ(code, DRI_ERR_STATE) << DRI_error_message();
    const std::string message = DRI_error_message();
    EXPECT_NE(message.find("the source of process " + std::to_string(peer) + " is destroyed after " +
                           std::to_string(frames) + " frames"),
              std::string::npos)
        << message;
}

// A frame starts with the header of the source's first process, which makes no calls meanwhile.
TEST(SourcesLeave, ASinkThatWaitsLearnsOfAnyOfThem) {
    const int rank = world().rank;
    if (world().size < 3)
        GTEST_SKIP() << "needs two processes of a source, and one more";
    constexpr int64_t frames = 2;
    for (const int64_t ways : ways_apart)
        for (const bool in_halves : {true, false}) {
            auto source = declare_stream("left", {0, 1}, 2, tall);
            const auto sink = declare_strip("left", DRI_SINK, {2}, 2, tall);
            set_attr(source, DRI_ATTR_WAYS, ways);
            set_attr(sink, DRI_ATTR_WAYS, ways);
            commit(make_world());
            for (int64_t f = 0; f < frames; ++f) {
                if (source) {
                    hand_over(*source, f);
                    acquire(source->xfer);
                }
                if (sink) {
                    EXPECT_EQ(sink->wrong(extract(sink->xfer), f), 0);
                    release(sink->xfer);
                }
            }
            barrier();
            if (rank == 1) {
                std::this_thread::sleep_for(std::chrono::milliseconds(20)); // it waits by now
                EXPECT_EQ(source->xfer.reset(), DRI_SUCCESS) << DRI_error_message();
            }
            if (rank == 2)
                expect_gone(in_halves ? DRI_extract(sink->xfer, nullptr, nullptr) : DRI_do(nullptr, sink->xfer), 1,
                            frames);
            barrier();
        }
}

// DRI_test says so as often as it is asked. The process's own source goes on.
TEST(SourcesLeave, ASinkThatIsTestedLearnsOfAnyOfThem) {
    const int rank = world().rank, last = world().size - 1;
    if (last == 0)
        GTEST_SKIP() << "needs two processes of a source";
    for (const int64_t ways : ways_apart) {
        auto source = declare_strip("tested", DRI_SOURCE, {0, last}, 2, tall);
        const auto sink = declare_strip("tested", DRI_SINK, {0, last}, 2, tall);
        set_attr(source, DRI_ATTR_WAYS, ways);
        set_attr(sink, DRI_ATTR_WAYS, ways);
        commit(make_world());
        if (rank == 0)
            expect_success(DRI_start(nullptr, sink->xfer), "DRI_start");
        if (rank == last) {
            EXPECT_EQ(source->xfer.reset(), DRI_SUCCESS) << DRI_error_message();
        }
        barrier();
        if (rank == 0) {
            int code = DRI_SUCCESS, done = 0;
            while (code == DRI_SUCCESS && !done) // the news may still be under way
                code = DRI_test(nullptr, sink->xfer, &done);
            expect_gone(code, last, 0);
            expect_gone(DRI_test(nullptr, sink->xfer, &done), last, 0);
            source->fill(buffer_of<void>(source->xfer), 0);
            insert(source->xfer);
            expect_gone(DRI_wait(nullptr, sink->xfer), last, 0);
        }
        barrier();
    }
}

// The process knows the end of the stream from its sink, which receives nothing from its source. It leaves before
// that end.
TEST(SourcesLeave, AProcessThatLeavesBeforeTheEndHasNotClosed) {
    const int rank = world().rank;
    if (world().size < 3)
        GTEST_SKIP() << "needs two processes of a source, and one more";
    constexpr int64_t closed_after = 3;
    for (const int64_t ways : ways_apart)
        for (const int64_t handed_over : {int64_t{1}, closed_after}) {
            auto source = declare_stream("apart", {0, 1}, 4, tall);
            const auto sink = declare_strip("apart", DRI_SINK, {2}, 4, tall);
            Xfer other;
            if (rank == 1)
                other = declare_first_rows("apart", tall);
            set_attr(source, DRI_ATTR_WAYS, ways);
            set_attr(sink, DRI_ATTR_WAYS, ways);
            if (other)
                expect_success(DRI_xfer_set_attr(other, DRI_ATTR_WAYS, ways), "DRI_xfer_set_attr");
            commit(make_world());
            for (int64_t f = 0; source && f < (rank == 0 ? closed_after : handed_over); ++f) {
                hand_over(*source, f);
                acquire(source->xfer);
            }
            if (rank == 0)
                expect_success(DRI_xfer_close(source->xfer), "DRI_xfer_close");
            for (int64_t f = 0; other && f < closed_after; ++f)
                expect_success(DRI_do(nullptr, other), "DRI_do");
            if (rank == 1) {
                EXPECT_EQ(DRI_do(nullptr, other), DRI_END_OF_STREAM) << DRI_error_message();
                EXPECT_EQ(source->xfer.reset(), DRI_SUCCESS) << DRI_error_message();
            }
            meet();
            Got got;
            for (int64_t f = 0; sink && f < handed_over; ++f)
                EXPECT_EQ(got.extract(*sink), DRI_SUCCESS) << DRI_error_message();
            if (sink && handed_over == closed_after) {
                EXPECT_EQ(got.extract(*sink), DRI_END_OF_STREAM) << DRI_error_message();
            } else if (sink) {
                expect_gone(got.extract(*sink), 1, handed_over);
            }
            barrier();
        }
}

// DRI_progress learns that the first process closed earlier. The sink beside it then receives no more, so a source
// that has filled it must not wait until it is destroyed.
TEST(SourcesLeave, AProcessThatLearnsOfTheMismatchHoldsUpNobody) {
    const int rank = world().rank;
    if (world().size < 3)
        GTEST_SKIP() << "needs three processes of a source";
    constexpr int64_t closed_after = 3;
    constexpr int buffers[] = {4, 5, 1};
    for (const int64_t ways : ways_apart) {
        auto source = declare_stream("apart", {0, 1, 2}, buffers[std::min(rank, 2)], tall);
        auto holds = declare_strip("apart", DRI_SINK, {1}, 1, tall);
        auto drops = declare_dropping("apart", {0}, 2, tall);
        for (const auto *endpoint : {&source, &holds, &drops})
            set_attr(*endpoint, DRI_ATTR_WAYS, ways);
        commit(make_world());
        for (int64_t f = 0; rank < 2 && f < closed_after; ++f) {
            hand_over(*source, f);
            acquire(source->xfer);
        }
        if (rank == 1)
            hand_over(*source, closed_after);
        meet();
        if (rank == 0)
            expect_success(DRI_xfer_close(source->xfer), "DRI_xfer_close");
        if (rank == 2) {
            for (int64_t f = 0; f < closed_after; ++f) {
                hand_over(*source, f);
                acquire(source->xfer);
            }
            expect_success(DRI_xfer_close(source->xfer), "DRI_xfer_close");
        }
        meet();
        if (rank == 1) {
            EXPECT_EQ(DRI_acquire(source->xfer, nullptr), DRI_ERR_MISMATCH) << DRI_error_message();
            expect_apart(DRI_error_message(), 0, closed_after, 1, closed_after);
        }
        for (auto *endpoint : {&holds, &drops, &source})
            if (*endpoint) {
                EXPECT_EQ((*endpoint)->xfer.reset(), DRI_SUCCESS) << DRI_error_message();
            }
        barrier();
    }
}

} // namespace
} // namespace dri::test
