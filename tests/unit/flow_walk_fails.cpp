// The walk can fail: each test falsifies one rule, and the walk must find the fault.
#include "flow_shapes.hpp"

#include <gtest/gtest.h>

namespace dri::flow::test {

namespace {

Job own_job(int64_t n, int64_t m) {
    Job job = job_of(shapes[0], {.buffers = m});
    job.buffers = n;
    return job;
}

std::string fault_of(const Job &job) { return walk(job).fault; }

testing::AssertionResult finds(const std::string &fault, const std::string &text) {
    if (fault.find(text) == std::string::npos)
        return testing::AssertionFailure() << "found '" << fault << "' and not '" << text << "'";
    return testing::AssertionSuccess();
}

constexpr const char *stuck_text = "everybody waits";

// The same job, sound if the rule holds.
std::string fault_without(Job job, Reason reason) {
    job.calls.leave = false;
    EXPECT_EQ(fault_of(job), "");
    job.ignored = {reason};
    return fault_of(job);
}

} // namespace

TEST(FlowWalkFails, if_a_source_does_not_wait_for_its_own_sink) {
    for (int64_t n = 1; n <= 3; ++n) {
        Job job = own_job(n, 1);
        job.calls.leave = false;
        job.frames = n + 2;
        job.tamper = [](Ledgers &l) { l.flows[0].terms.binds = false; };
        EXPECT_TRUE(finds(fault_of(job), stuck_text));
    }
}

// In a ring, only the rule for sinks that take nothing from their own source keeps the others going.
TEST(FlowWalkFails, if_a_source_does_not_wait_for_sinks_that_take_from_others) {
    Job job = job_of(shapes[6], {.buffers = 1});
    job.sinks[0].takes_own = false;
    job.calls = all_calls;
    job.calls.start = false;
    const auto no_source_waits = [](const Stuck &stuck) { return !stuck.call.source; };
    EXPECT_EQ(walk(job, no_source_waits).fault, "");
    job.tamper = [](Ledgers &l) { l.flows[0].terms.binds = false; };
    EXPECT_TRUE(finds(walk(job, no_source_waits).fault, stuck_text));
}

TEST(FlowWalkFails, if_a_sink_believes_it_had_another_buffer) {
    for (const int process : {0, 1}) {
        Job job = own_job(3, 2);
        job.sinks[0].group = {process};
        job.frames = 5;
        job.tamper = [](Ledgers &l) {
            if (l.flows[0].sink)
                l.flows[0].sink = SinkLedger({.buffers = 3});
        };
        EXPECT_TRUE(finds(fault_of(job), "overwrites"));
    }
}

TEST(FlowWalkFails, if_a_source_believes_it_had_another_buffer) {
    for (const Way way : {Way::direct, Way::message}) {
        Job job = own_job(1, 1);
        job.sinks[0].group = {1};
        job.way = way;
        job.tamper = [](Ledgers &l) {
            if (l.source)
                l.source = SourceLedger({.buffers = 2});
        };
        EXPECT_TRUE(finds(fault_of(job), "ahead"));
    }
}

TEST(FlowWalkFails, if_a_source_does_not_know_how_many_messages_fit) {
    Job job = job_of(shapes[6], {.buffers = 1});
    job.buffers = 3;
    job.frames = 3;
    job.way = Way::message;
    job.calls = all_calls;
    job.calls.start = false;
    EXPECT_EQ(fault_of(job), "");
    job.tamper = [](Ledgers &l) { l.source = SourceLedger({.buffers = 3}); };
    EXPECT_TRUE(finds(fault_of(job), stuck_text));
}

TEST(FlowWalkFails, if_a_source_does_not_know_which_frames_a_sink_takes) {
    Job job = own_job(2, 1);
    job.sinks[0].every = 2;
    job.frames = 4;
    EXPECT_EQ(fault_of(job), "");
    job.tamper = [](Ledgers &l) { l.flows[0].terms.pattern = SourcePattern::every(2, 1); };
    EXPECT_TRUE(finds(fault_of(job), "ahead"));
    job.tamper = [](Ledgers &l) { l.flows[0].terms.pattern = {}; };
    job.calls.leave = false;
    EXPECT_TRUE(finds(fault_of(job), stuck_text));
}

TEST(FlowWalkFails, if_buffers_of_the_user_are_filled_ahead) {
    Job job = own_job(2, 1);
    job.sinks[0].users = true;
    job.tamper = [](Ledgers &l) { l.flows[0].sink = SinkLedger({.buffers = 1, .fills_all = true}); };
    EXPECT_TRUE(finds(fault_of(job), "outside a call"));
}

TEST(FlowWalkFails, if_a_process_does_not_see_that_a_sink_needs_its_own_source) {
    Job job = own_job(1, 1);
    job.calls.leave = false;
    job.tamper = [](Ledgers &l) { l.flows[0].terms.has_own_part = l.flows[0].terms.binds = false; };
    EXPECT_TRUE(finds(fault_of(job), stuck_text));
}

// The sink of the process can take a frame that a reader of its source waits for.
TEST(FlowWalkFails, if_a_source_that_is_read_leaves_without_moving_frames) {
    Job job = swap_job(2, 2);
    job.leaves_still = true;
    EXPECT_TRUE(finds(walk(job, sink_is_too_late).fault, stuck_text));
}

// Each refusal is needed.
TEST(FlowWalkFails, without_one_of_the_refusals) {
    EXPECT_TRUE(finds(fault_without(own_job(1, 1), Reason::too_far_ahead), stuck_text));
    EXPECT_TRUE(finds(fault_without(own_job(2, 1), Reason::source_buffers_held), stuck_text));
    EXPECT_TRUE(finds(fault_without(own_job(1, 1), Reason::own_source_behind), stuck_text));
    EXPECT_TRUE(finds(fault_without(own_job(2, 2), Reason::sink_buffers_held), stuck_text));
    EXPECT_NE(fault_without(own_job(1, 1), Reason::no_buffer_to_insert), "");
    EXPECT_TRUE(finds(fault_without(own_job(1, 1), Reason::no_frame_held), "overwrites"));

    Job strips = own_job(3, 1);
    strips.strips = strips.sinks[0].strips = 2;
    strips.frames = 4;
    EXPECT_TRUE(finds(fault_without(strips, Reason::own_strips_behind), stuck_text));
    EXPECT_TRUE(finds(fault_without(strips, Reason::sink_store_held), stuck_text));

    Job staging = job_of(shapes[6], {.buffers = 1});
    staging.buffers = 3;
    staging.frames = 3;
    staging.way = Way::message;
    staging.calls = all_calls;
    EXPECT_TRUE(finds(fault_without(staging, Reason::staging_full), stuck_text));

    Job drops = own_job(1, 1);
    drops.stream = drops.sinks[0].drops = true;
    EXPECT_TRUE(finds(fault_without(drops, Reason::all_dropped), stuck_text));
    EXPECT_TRUE(finds(fault_without(drops, Reason::end_of_stream), stuck_text));

    Job leaves = job_of(shapes[1], {.buffers = 1});
    EXPECT_TRUE(finds(fault_without(leaves, Reason::source_gone), stuck_text));

    Job closes = job_of(shapes[5], {.buffers = 1});
    closes.frames_of = {2, 1};
    closes.stream = true;
    EXPECT_TRUE(finds(fault_without(closes, Reason::close_mismatch), stuck_text));
}

TEST(FlowWalkFails, in_place_without_one_of_the_refusals) {
    Job job = in_place_job(shapes[6], 2);
    EXPECT_EQ(fault_of(job), "");
    job.ignored = {Reason::peer_left_in_place};
    EXPECT_TRUE(finds(fault_of(job), stuck_text));
    job.ignored = {Reason::one_endpoint_in_place};
    EXPECT_TRUE(finds(fault_of(job), stuck_text)) << "an endpoint waits for the other one";
}

TEST(FlowWalkFails, in_place_if_the_rules_do_not_know_it) {
    Job job = in_place_job(shapes[6], 2);
    job.calls.halves = job.calls.handles = false;
    EXPECT_EQ(fault_of(job), "");
    job.tamper = [](Ledgers &l) { l.in_place = false; };
    EXPECT_TRUE(finds(fault_of(job), "the caller fills frame 2 where it holds frame 0"));
}

// It waits for the processes that read the buffer of the frame before, and not for those of its own.
TEST(FlowWalkFails, in_place_if_a_source_believes_it_had_a_buffer_of_its_own) {
    for (int64_t n = 1; n <= 3; ++n) {
        Job job = in_place_job(shapes[6], n, Way::direct);
        job.calls.leave = false;
        EXPECT_EQ(fault_of(job), "");
        job.tamper = [n](Ledgers &l) { l.source = SourceLedger({.buffers = n}); };
        EXPECT_EQ(fault_of(job).empty(), n == 1) << n;
        job.tamper = [n](Ledgers &l) { l.source = SourceLedger({.buffers = n + 1}); };
        EXPECT_NE(fault_of(job), "") << n;
    }
}

// Neither may depend on what is known at once.
TEST(FlowWalkFails, with_a_thread_or_old_facts) {
    for (const bool posts_later : {false, true}) {
        Job job = own_job(2, 1);
        job.sinks[0].group = {1};
        job.way = Way::message;
        job.old_facts = true;
        job.posts_later = posts_later;
        EXPECT_EQ(fault_of(job), "");
        Job ahead = job;
        ahead.tamper = [](Ledgers &l) {
            if (l.source)
                l.source = SourceLedger({.buffers = 3});
        };
        EXPECT_TRUE(finds(fault_of(ahead), "ahead"));
        job.ignored = {Reason::source_gone};
        EXPECT_TRUE(finds(fault_of(job), stuck_text));
    }
}

// The shortest way to a fault is told.
TEST(FlowWalkFails, with_the_way_to_the_fault) {
    Job job = own_job(1, 1);
    job.ignored = {Reason::own_source_behind};
    EXPECT_TRUE(finds(fault_of(job), "after: 0: finish sink 0"));
}

} // namespace dri::flow::test
