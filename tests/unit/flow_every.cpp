// A sink that takes every k-th frame: which frames are its own, how it counts them, and which calls they refuse.
#include "flow/admission.hpp"

#include <gtest/gtest.h>

namespace dri::flow {
namespace {

std::string words_of_do(const Ledgers &l, const CallEndpoints &endpoints) {
    const Ruling ruling = admit(l, {Act::execute, endpoints});
    return ruling.is_refused() ? text_of(*ruling.refusal, {"turn", 0}) : "go";
}

void insert_and_acquire(SourceLedger &source) {
    source.insert();
    source.acquire();
}

} // namespace

// Counted one by one.
TEST(FlowUnits, of_a_sink_that_takes_every_third_frame) {
    for (int64_t phase = 0; phase < 3; ++phase) {
        const SourcePattern pattern = SourcePattern::every(3, phase);
        EXPECT_TRUE(pattern.skips());
        EXPECT_EQ(pattern.through({0}), SourceFrames{0});
        FlowFrames arrays;
        for (SourceFrames frame; frame < SourceFrames{20}; frame = frame + 1) {
            EXPECT_EQ(pattern.arrays_in(frame), arrays) << phase << ", " << frame.count;
            EXPECT_EQ(pattern.takes(frame), frame.count % 3 == phase);
            if (frame.count % 3 != phase)
                continue;
            EXPECT_EQ(pattern.first(arrays), frame);
            EXPECT_EQ(pattern.end(arrays), frame + 1);
            arrays = arrays + 1;
            EXPECT_EQ(pattern.through(arrays), frame + 1);
        }
    }
}

TEST(FlowUnits, name_the_frames_of_a_sink_by_the_numbers_of_the_source) {
    FlowLedger flow{.terms = {.pattern = SourcePattern::every(4, 1)}, .sink = SinkLedger({.buffers = 1})};
    EXPECT_EQ(flow.number_of({2}), 9);
    flow.sink = SinkLedger({.buffers = 2, .strips = 2});
    EXPECT_EQ(flow.number_of({5}), 19) << "the second strip of frame 9";
    flow.terms.drops = true;
    EXPECT_EQ(flow.number_of({5}), 5) << "some frames are not known";
    EXPECT_EQ((FlowLedger{.terms = {.pattern = SourcePattern::strips(2)}, .sink = {}}.number_of({5})), 5);
}

TEST(FlowLedgers, of_a_sink_that_takes_every_third_frame_know_after_how_many_the_source_has_closed) {
    FlowLedger flow{.terms = {.pattern = SourcePattern::every(3, 1)}, .sink = SinkLedger({.buffers = 2})};
    flow.sink->begin_frame();
    flow.take_header({4}, false);
    EXPECT_EQ(flow.sink->read_dropped(), 1) << "frame 1";
    flow.sink->finish_frame();
    flow.sink->begin_frame();
    flow.take_header({9}, true);
    EXPECT_EQ(flow.sink->read_dropped(), 2) << "frame 7, too";
    EXPECT_EQ(flow.frames_at_end(), SourceFrames{9});
    flow.terms.drops = true;
    EXPECT_EQ(flow.frames_at_end(), SourceFrames{1}) << "departures count frames of the flow";
}

// The frames that a sink does not take are in nobody's way, and messages have the numbers of the source.
TEST(FlowRules, a_sink_of_each_third_frame_binds_its_source_by_its_own_frames) {
    Ledgers l{SourceLedger({.buffers = 1}),
              {{.terms = {.pattern = SourcePattern::every(3, 2), .has_own_part = true, .copies_own_part = true},
                .sink = SinkLedger({.buffers = 1})}},
              0,
              false};
    EXPECT_EQ(words_of_do(l, {.sink = 0}),
              "transfer 'turn': part of frame 2 comes from this process's own source, which has handed over 0 "
              "frames; execute the source first");
    EXPECT_EQ(words_of_do(l, CallEndpoints::all(l)),
              "transfer 'turn': part of frame 2 comes from this process's own source, which has handed over 0 "
              "frames; execute the source first");
    for (int frame = 0; frame < 2; ++frame) {
        EXPECT_EQ(words_of_do(l, {.source = true}), "go") << frame;
        insert_and_acquire(*l.source);
    }
    EXPECT_EQ(words_of_do(l, {.source = true}),
              "transfer 'turn': after frame 2 no buffer of the source (1 in all) would be free before this "
              "process's own sink has taken frame 2; release the frames of the sink, or start it "
              "(DRI_start)");
    EXPECT_EQ(words_of_do(l, CallEndpoints::all(l)), "go");
    insert_and_acquire(*l.source);
    EXPECT_EQ(words_of_do(l, {.sink = 0}), "go");
}

} // namespace dri::flow
