// Counters of frames, their units, and the decision to drop.
#include "flow/dropping.hpp"

#include <gtest/gtest.h>

#include <type_traits>

namespace dri::flow::test {

namespace {

template <class A, class B>
concept comparable = requires(A a, B b) {
    a < b;
};

} // namespace

TEST(FlowUnits, do_not_mix) {
    static_assert(!std::is_convertible_v<SourceFrames, SinkFrames>);
    static_assert(!std::is_convertible_v<SinkFrames, FlowFrames>);
    static_assert(comparable<SourceFrames, SourceFrames> && !comparable<SourceFrames, FlowFrames>);
}

TEST(FlowUnits, are_converted_by_the_strips_of_each_side) {
    const SourcePattern source = SourcePattern::strips(4);
    EXPECT_EQ(source.first({2}), SourceFrames{8});
    EXPECT_EQ(source.end({2}), SourceFrames{12});
    EXPECT_EQ(source.through({2}), SourceFrames{8});
    EXPECT_EQ(source.arrays_in({7}), FlowFrames{1});
    EXPECT_EQ(source.arrays_in({8}), FlowFrames{2});
    EXPECT_TRUE(source.takes({5}));
    EXPECT_FALSE(source.skips());
    const SinkStrips sink{3};
    EXPECT_EQ(sink.of_sink({2}), SinkFrames{6});
    EXPECT_EQ(sink.array_of({5}), FlowFrames{1});
    EXPECT_EQ(sink.array_of({6}), FlowFrames{2});
}

TEST(FlowLedgers, of_a_source_count_its_calls) {
    SourceLedger source({.buffers = 2, .stream = true});
    EXPECT_TRUE(source.holds_buffer()) << "the first buffer";
    source.insert();
    EXPECT_FALSE(source.holds_buffer());
    EXPECT_TRUE(source.has_to_post());
    EXPECT_EQ(source.frames_before_next_buffer(), SourceFrames{0});
    source.acquire();
    EXPECT_EQ(source.frames_before_next_buffer(), SourceFrames{1});
    source.start();
    EXPECT_TRUE(source.started());
    source.close();
    EXPECT_FALSE(source.started()) << "no further buffer is needed";
    EXPECT_EQ(source.to_post(), SourceFrames{3}) << "the close counts";
    source.begin_post();
    source.finish_post();
    source.finish_post();
    EXPECT_TRUE(source.next_is_close());
    source.finish_post();
    EXPECT_TRUE(source.has_posted_close());
    EXPECT_EQ(source.posted_frames(), SourceFrames{2});
}

TEST(FlowLedgers, of_a_sink_fill_all_buffers_but_one_ahead) {
    SinkLedger sink({.buffers = 3});
    EXPECT_EQ(sink.reach(), FlowFrames{2});
    EXPECT_EQ(sink.reach({.extracts = true}), FlowFrames{3});
    sink.want();
    EXPECT_EQ(sink.reach(), FlowFrames{3});
    sink.begin_frame();
    sink.finish_frame();
    sink.extract();
    EXPECT_EQ(sink.reach(), FlowFrames{3}) << "the caller holds a buffer";
    EXPECT_EQ(sink.reach({.extracts = true}), FlowFrames{3});
    EXPECT_EQ(sink.reach({.extracts = true, .releases = true}), FlowFrames{4});
    sink.release();
    EXPECT_EQ(sink.reach(), FlowFrames{3}) << "one stays free";
}

TEST(FlowLedgers, of_a_sink_fill_buffers_of_the_user_while_the_caller_waits) {
    SinkLedger sink({.buffers = 3, .fills_ahead = false});
    EXPECT_EQ(sink.reach(), FlowFrames{0});
    sink.want();
    EXPECT_EQ(sink.reach(), FlowFrames{1});
}

// Strips count in other units than arrays: once the caller has extracted the two strips of an array, the store
// is the user's until the next wait.
TEST(FlowLedgers, of_a_sink_fill_stores_of_the_user_while_the_caller_waits) {
    SinkLedger sink({.buffers = 2, .strips = 2, .fills_ahead = false});
    sink.want();
    EXPECT_EQ(sink.reach(), FlowFrames{1});
    sink.begin_frame();
    sink.finish_frame();
    for (int strip = 0; strip < 2; ++strip) {
        EXPECT_TRUE(sink.has_next());
        sink.extract();
        sink.release();
        EXPECT_EQ(sink.reach(), FlowFrames{1}) << "strip " << strip;
    }
    EXPECT_FALSE(sink.has_next());
    sink.want();
    EXPECT_EQ(sink.reach(), FlowFrames{2});
}

TEST(FlowLedgers, of_a_sink_fill_stores_of_the_library_ahead) {
    SinkLedger sink({.buffers = 4, .strips = 2, .fills_all = true});
    EXPECT_EQ(sink.reach(), FlowFrames{2});
    sink.begin_frame();
    sink.finish_frame();
    sink.extract();
    sink.release();
    EXPECT_EQ(sink.reach(), FlowFrames{2}) << "one of two strips is still held back";
    sink.extract();
    sink.release();
    EXPECT_EQ(sink.reach(), FlowFrames{3});
}

TEST(FlowLedgers, of_a_sink_learn_from_headers_what_was_dropped) {
    SinkLedger sink({.buffers = 2});
    sink.begin_frame();
    EXPECT_FALSE(sink.header_arrived());
    sink.take_header({2}, {2}, false);
    EXPECT_TRUE(sink.header_arrived());
    EXPECT_EQ(sink.read_dropped(), 2);
    sink.finish_frame();
    sink.begin_frame();
    sink.take_header({5}, {5}, true);
    EXPECT_TRUE(sink.over());
    EXPECT_FALSE(sink.header_arrived()) << "no frame belongs to it";
    EXPECT_EQ(sink.closed_after(), SourceFrames{5});
    EXPECT_EQ(sink.read_dropped(), 4);
}

TEST(FlowDropping, allows_two_frames_under_way) {
    EXPECT_EQ(decide({1}, {0}, false), DropVerdict::keep);
    EXPECT_EQ(decide({2}, {0}, false), DropVerdict::drop);
    EXPECT_EQ(decide({2}, {1}, false), DropVerdict::keep);
    EXPECT_EQ(decide({9}, {1}, true), DropVerdict::keep) << "a process that has left holds nothing up";
}

TEST(FlowDropping, counts_kept_and_dropped_frames) {
    FlowLedger flow{.terms = {.drops = true}, .sink = std::nullopt};
    SourceLedger source({.buffers = 4, .stream = true});
    for (int frame = 0; frame < 3; ++frame)
        source.insert();
    EXPECT_EQ(flow.to_come(source), FlowFrames{3}) << "undecided frames may still be sent";
    EXPECT_EQ(flow.handed_over(source), SourceFrames{0});
    flow.drop.begin(false);
    EXPECT_TRUE(flow.drop.awaits_verdict());
    flow.drop.drop();
    flow.drop.begin(false);
    flow.drop.keep();
    EXPECT_FALSE(flow.drop.undecided());
    EXPECT_EQ(flow.to_come(source), FlowFrames{2});
    EXPECT_EQ(flow.to_come(source, 1), FlowFrames{3});
    EXPECT_EQ(flow.handed_over(source), SourceFrames{1});
    EXPECT_EQ(flow.drop.read_dropped(), 1);
}

} // namespace dri::flow::test
