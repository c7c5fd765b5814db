// All interleavings of calls in small jobs: no state in which everybody waits, no frame lost, doubled or out of
// order. The last tests falsify one rule each, and the walk must find the fault.
#include "flow_job.hpp"

#include "base/error.hpp"

#include <gtest/gtest.h>

namespace dri::flow::test {

namespace {

constexpr Calls halves{.halves = true, .handles = false, .by_name = false, .leave = false};
constexpr Calls whole_frames{.halves = false, .handles = true, .by_name = true, .start = true, .leave = false};
constexpr Calls leaving{.halves = false, .handles = true, .by_name = true, .leave = true};

// All walks of the sweeps together.
class FlowWalk : public testing::Test {
protected:
    static void expect_sound(const Job &job, const std::string &name, const Accepts &accepts = {}) {
        const Walk found = walk(job, accepts);
        EXPECT_EQ(found.fault, "") << name << ", " << job.buffers << " buffers";
        EXPECT_GT(found.finished, 0u) << name;
        refusals().insert(found.refusals.begin(), found.refusals.end());
    }
    static std::set<Reason> &refusals() {
        static std::set<Reason> all;
        return all;
    }
};

// The processes of the source, and of each sink side.
struct Shape {
    const char *name;
    std::vector<int> sources;
    std::vector<std::vector<int>> sinks;
};
const std::vector<Shape> shapes{
    {"one process", {0}, {{0}}},
    {"another process", {0}, {{1}}},
    {"two sinks of one side", {0}, {{0, 1}}},
    {"two sinks of two sides", {0}, {{0}, {1}}},
    {"two sources", {0, 1}, {{1}}},
    {"two sources, another process", {0, 1}, {{2}}},
    {"two of each", {0, 1}, {{0, 1}}},
    {"two of each, one in common", {0, 1}, {{1, 2}}},
};

Job job_of(const Shape &shape, const SinkSide &side) {
    Job job;
    job.sources = shape.sources;
    for (const std::vector<int> &group : shape.sinks) {
        job.sinks.push_back(side);
        job.sinks.back().group = group;
    }
    return job;
}

bool is_large(const Shape &shape) { return shape.sources.size() > 1 && shape.sinks[0].size() > 1; }

// Fewer calls where there are many states.
Calls fit(Calls calls, const Shape &shape) {
    calls.start = calls.start && !(shape.sources.size() > 1 && shape.sinks[0].back() == 2);
    return calls;
}

} // namespace

TEST_F(FlowWalk, everybody_goes_on_with_any_number_of_buffers) {
    for (const Shape &shape : shapes)
        for (const Calls &calls : {halves, whole_frames, leaving})
            for (int64_t n = 1; n <= 3; ++n)
                for (int64_t m = 1; m <= 3; ++m) {
                    const bool small = n + m <= (is_large(shape) ? 2 : shape.sinks.size() > 1 ? 3 : 4);
                    if (!small && shape.sources.size() > 1)
                        continue;
                    Job job = job_of(shape, {.buffers = m});
                    job.buffers = n;
                    job.frames = small ? std::max<int64_t>(n + m - 1, 2) : 2;
                    job.calls = fit(calls, shape);
                    expect_sound(job, shape.name);
                    job.way = Way::message;
                    for (job.staging = 1; job.staging <= n; ++job.staging)
                        expect_sound(job, shape.name);
                }
}

TEST_F(FlowWalk, buffers_of_the_user_are_filled_inside_calls_only) {
    for (const Shape &shape : shapes)
        for (int64_t m = 1; m <= 2 && !is_large(shape); ++m) {
            Job job = job_of(shape, {.buffers = m, .users = true});
            job.buffers = 2;
            expect_sound(job, shape.name);
        }
}

TEST_F(FlowWalk, streams_end_for_all_after_the_same_frame) {
    for (const Shape &shape : shapes)
        for (const Calls &calls : {halves, whole_frames, leaving})
            for (const Way way : {Way::direct, Way::message}) {
                Job job = job_of(shape, {.buffers = 1});
                job.frames = 2;
                job.stream = true;
                job.way = way;
                job.calls = fit(calls, shape);
                expect_sound(job, shape.name);
            }
}

TEST_F(FlowWalk, sources_that_close_differently_are_reported) {
    for (const Shape &shape : {shapes[4], shapes[5], shapes[6], shapes[7]})
        for (const std::vector<int64_t> &frames_of : {std::vector<int64_t>{1, 2}, {2, 1}})
            for (const Way way : {Way::direct, Way::message}) {
                Job job = job_of(shape, {.buffers = 1});
                job.frames_of = frames_of;
                job.stream = true;
                job.way = way;
                job.calls = fit(whole_frames, shape);
                expect_sound(job, shape.name);
            }
    EXPECT_EQ(refusals().count(Reason::close_mismatch), 1u);
}

TEST_F(FlowWalk, dropped_frames_are_the_same_for_all_and_keep_their_order) {
    for (const Shape &shape : shapes)
        for (const Calls &calls : {halves, whole_frames, leaving}) {
            Job job = job_of(shape, {.buffers = 1, .drops = true});
            job.frames = is_large(shape) ? 2 : 3;
            job.stream = true;
            job.calls = fit(calls, shape);
            expect_sound(job, shape.name);
            if (job.sinks.size() < 2)
                continue;
            job.sinks[0].drops = false;
            expect_sound(job, "one of two sides drops");
        }
}

TEST_F(FlowWalk, strips_arrive_as_whole_arrays) {
    for (const Shape &shape : {shapes[0], shapes[1], shapes[6]})
        for (const Calls &calls : {halves, whole_frames, leaving})
            for (const int64_t source : {1, 2})
                for (const int64_t sink : {1, 2})
                    for (const bool users : {false, true})
                        for (int64_t n = 1; n <= (is_large(shape) ? 1 : 3); ++n) {
                            Job job = job_of(shape, {.buffers = 1, .strips = sink, .users = users});
                            job.buffers = n;
                            job.strips = source;
                            job.frames = 2 * source;
                            job.calls = calls;
                            // Where a store is full and its next array is not handed over, only DRI_start helps.
                            job.calls.start = users || source > 1 || !is_large(shape);
                            job.calls.leave = calls.leave && !is_large(shape);
                            expect_sound(job, shape.name);
                            job.way = Way::message;
                            expect_sound(job, shape.name);
                        }
}

// In a ring of sinks that take nothing from their own source, each process can execute its sink first. No process
// can know that the others do the same: docs/flow_control.md says so. No other state is stuck.
TEST_F(FlowWalk, rings_wait_only_where_each_sink_precedes_its_source) {
    const auto sink_precedes_source = [](const Stuck &stuck) {
        const Ledgers &l = stuck.ledgers;
        return stuck.call.includes(l, 0) && l.source->inserted().count <= l.flows[0].sink->extracted().count;
    };
    for (const Calls &calls : {halves, whole_frames, leaving})
        for (int64_t n = 1; n <= 2; ++n)
            for (const Way way : {Way::direct, Way::message}) {
                Job job = job_of(shapes[6], {.buffers = 1});
                job.sinks[0].takes_own = false;
                job.buffers = n;
                job.way = way;
                job.calls = calls;
                job.calls.start = false;
                expect_sound(job, "ring", sink_precedes_source);
            }
}

// The number that docs/flow_control.md promises is reached, and not exceeded (Walk::fault).
TEST_F(FlowWalk, a_source_is_as_far_ahead_as_both_ends_have_buffers) {
    for (int64_t n = 1; n <= 3; ++n)
        for (int64_t m = 1; m <= 3; ++m)
            for (const bool users : {false, true}) {
                Job job = job_of(shapes[0], {.buffers = m, .users = users});
                job.buffers = n;
                job.frames = n + m + 1;
                job.calls.leave = false;
                EXPECT_EQ(walk(job).max_ahead, users ? n - 1 : n + m - 2) << n << " and " << m << " buffers";
            }
}

TEST_F(FlowWalk, moving_between_calls_changes_nothing) {
    for (const Shape &shape : shapes) {
        Job job = job_of(shape, {.buffers = 1});
        job.frames = 2;
        job.calls.leave = false;
        job.calls.progress = true;
        job.way = Way::message;
        if (!is_large(shape))
            expect_sound(job, shape.name);
    }
}

// --- The walk can fail
// ---------------------------------------------------------------------------------------------

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
    job.calls = whole_frames;
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
    job.calls = whole_frames;
    job.calls.start = false;
    EXPECT_EQ(fault_of(job), "");
    job.tamper = [](Ledgers &l) { l.source = SourceLedger({.buffers = 3}); };
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

// Each refusal is needed.
TEST(FlowWalkFails, without_one_of_the_refusals) {
    EXPECT_TRUE(finds(fault_without(own_job(1, 1), Reason::too_far_ahead), stuck_text));
    EXPECT_TRUE(finds(fault_without(own_job(2, 1), Reason::source_buffers_held), stuck_text));
    EXPECT_TRUE(finds(fault_without(own_job(1, 1), Reason::own_source_behind), stuck_text));
    EXPECT_TRUE(finds(fault_without(own_job(2, 2), Reason::sink_buffers_held), stuck_text));
    EXPECT_NE(fault_without(own_job(1, 1), Reason::no_buffer_to_insert), "");
    EXPECT_TRUE(finds(fault_without(own_job(1, 1), Reason::no_frame_to_release), "overwrites"));

    Job strips = own_job(3, 1);
    strips.strips = strips.sinks[0].strips = 2;
    strips.frames = 4;
    EXPECT_TRUE(finds(fault_without(strips, Reason::own_strips_behind), stuck_text));
    EXPECT_TRUE(finds(fault_without(strips, Reason::sink_store_held), stuck_text));

    Job staging = job_of(shapes[6], {.buffers = 1});
    staging.buffers = 3;
    staging.frames = 3;
    staging.way = Way::message;
    staging.calls = whole_frames;
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

} // namespace dri::flow::test
