// Endpoints of streams that are destroyed early, with or without data. They wait for nobody and nobody waits for
// them.
#include "support/library.hpp"
#include "support/shared_flag.hpp"
#include "support/strip.hpp"

namespace dri::test {
namespace {

constexpr StripShape two_columns{14, 2}; // two processes of a sink have data, the others receive headers only

// The source's first process, which sends the frame headers, makes no calls meanwhile.
TEST(StreamLeaving, ASinkLeavesBeforeAnythingHasArrived) {
    const int rank = world().rank, last = world().size - 1;
    for (const int nbuffs : {1, 3}) {
        const auto source = declare_stream("silent", {0}, nbuffs, two_columns);
        auto sink = declare_strip("silent", DRI_SINK, {last}, nbuffs, two_columns);
        std::optional<Strip> others;
        if (last > 0)
            others = declare_strip("silent", DRI_SINK, all_ranks(), nbuffs, two_columns);
        commit(make_world());
        SharedFlag gone;
        if (rank == last) {
            EXPECT_EQ(sink->xfer.reset(), DRI_SUCCESS) << DRI_error_message();
            if (others) {
                EXPECT_EQ(others->xfer.reset(), DRI_SUCCESS) << DRI_error_message();
            }
            gone.raise();
        }
        gone.wait();
    }
}

// More frames follow than there is memory for headers, and then the end.
TEST(StreamLeaving, TheSourceContinuesWithoutASinkThatHasLeft) {
    const int rank = world().rank, last = world().size - 1;
    if (last == 0)
        GTEST_SKIP() << "needs a process that stays";
    for (const int nbuffs : {1, 2})
        for (const int64_t taken : {0, 1, 4}) {
            auto source = declare_stream("goes on", {0}, nbuffs, two_columns);
            auto sink = declare_strip("goes on", DRI_SINK, all_ranks(), nbuffs, two_columns);
            commit(make_world());
            constexpr int64_t frames = 40;
            SharedFlag done;
            for (int64_t f = 0; f < frames; ++f) {
                if (rank == last && f == taken) {
                    EXPECT_EQ(sink->xfer.reset(), DRI_SUCCESS) << DRI_error_message();
                    break;
                }
                if (source) {
                    source->fill(buffer_of<void>(source->xfer), f);
                    insert(source->xfer);
                }
                EXPECT_EQ(sink->wrong(extract(sink->xfer), f), 0) << f;
                release(sink->xfer);
                if (source)
                    acquire(source->xfer);
            }
            if (source) {
                expect_success(DRI_xfer_close(source->xfer), "DRI_xfer_close");
                EXPECT_EQ(source->xfer.reset(), DRI_SUCCESS) << DRI_error_message();
            }
            if (rank < last) {
                EXPECT_EQ(DRI_extract(sink->xfer, nullptr, nullptr), DRI_END_OF_STREAM) << DRI_error_message();
            }
            if (source)
                done.raise();
            done.wait();
        }
}

// The source's first process has a sink without data.
TEST(StreamLeaving, TheSourcesOwnSinkWithoutDataLeaves) {
    const int rank = world().rank, last = world().size - 1;
    for (const int nbuffs : {1, 2})
        for (const int64_t taken : {0, 1}) {
            auto source = declare_stream("own", {last}, nbuffs, two_columns);
            auto sink = declare_strip("own", DRI_SINK, all_ranks(), nbuffs, two_columns);
            commit(make_world());
            constexpr int64_t frames = 20;
            for (int64_t f = 0; f < frames; ++f) {
                if (rank == last && f == taken) {
                    EXPECT_EQ(sink->xfer.reset(), DRI_SUCCESS) << DRI_error_message();
                }
                if (last == 0 && f >= taken)
                    break; // no sink is left
                if (source) {
                    source->fill(buffer_of<void>(source->xfer), f);
                    insert(source->xfer);
                }
                if (sink->xfer) {
                    EXPECT_EQ(sink->wrong(extract(sink->xfer), f), 0) << f;
                    release(sink->xfer);
                }
                if (source)
                    acquire(source->xfer);
            }
        }
}

} // namespace
} // namespace dri::test
