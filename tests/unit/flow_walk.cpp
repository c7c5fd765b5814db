// All interleavings of calls in small jobs: no state in which everybody waits, no frame lost, doubled or out of
// order.
#include "flow_shapes.hpp"

#include "support/sanitizer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace dri::flow::test {

namespace {

// All walks of the sweeps together.
class FlowWalk : public testing::Test {
protected:
    static Walk expect_sound(const Job &job, const std::string &name, const Accepts &accepts = {}) {
        const Walk found = walk(job, accepts);
        EXPECT_EQ(found.fault, "") << name << ", " << job.buffers << " and " << job.sinks[0].buffers
                                   << " buffers, " << (job.way == Way::direct ? "direct" : "messages")
                                   << ", staging " << job.staging;
        EXPECT_GT(found.finished, 0u) << name;
        refusals().insert(found.refusals.begin(), found.refusals.end());
        states() += found.states;
        return found;
    }
    // Messages with staging for one frame, and except for two processes at both ends for all buffers.
    static void expect_sound_both_ways(Job job, const std::string &name, const Accepts &accepts = {}) {
        expect_sound(job, name, accepts);
        if (std::all_of(job.sinks.begin(), job.sinks.end(), [](const SinkSide &side) { return side.drops; }))
            return; // sinks that drop take messages only
        job.way = Way::message;
        const bool four = job.sources.size() > 1 && job.sinks[0].group.size() > 1;
        for (const int64_t staging : std::set<int64_t>{1, four ? 1 : job.buffers}) {
            job.staging = staging;
            expect_sound(job, name, accepts);
        }
    }
    static std::set<Reason> &refusals() {
        static std::set<Reason> all;
        return all;
    }
    static size_t &states() {
        static size_t all = 0;
        return all;
    }
    void TearDown() override { RecordProperty("states", std::to_string(std::exchange(states(), 0))); }
};

// Up to how many buffers at each end, by the number of processes of source and sinks: two, three or four.
struct Most {
    int64_t two = 0, three = 0, four = 0;

    int64_t of(const Shape &shape) const {
        const size_t ends = shape.sources.size() + shape.sinks[0].size() + shape.sinks.size() - 1;
        return ends == 2 ? two : ends == 3 ? three : four;
    }
};

// Runs jobs of all shapes and numbers of buffers. Every buffer is used again: the frames are as many as the
// buffers. Those of `done` have run with all calls, which reaches all states of fewer calls, too.
template <class Run> void sweep(const Calls &calls, Most most, const Run &run, Most done = {}) {
    if (dri::test::sanitized) { // every line runs with one buffer, too
        most = {1, calls.start ? 0 : 1, 0};
        done = {};
    }
    for (const Shape &shape : shapes)
        for (int64_t n = 1; n <= most.of(shape); ++n)
            for (int64_t m = 1; m <= most.of(shape); ++m) {
                if (std::max(n, m) <= done.of(shape))
                    continue;
                Job job = job_of(shape, {.buffers = m});
                job.buffers = n;
                job.frames = n + m;
                job.calls = calls;
                run(job, shape);
            }
}

// All calls, and with more buffers each call alone.
template <class Run> void sweep_both(Most all, Most single, const Run &run) {
    sweep(all_calls, all, run);
    sweep(single_calls, single, run, all);
}

} // namespace

TEST_F(FlowWalk, everybody_goes_on_with_any_number_of_buffers) {
    const auto run = [](const Job &job, const Shape &shape) { expect_sound_both_ways(job, shape.name); };
    sweep_both({3, 2, 1}, {3, 3, 2}, run);
}

TEST_F(FlowWalk, streams_end_for_all_after_the_same_frame) {
    const auto run = [](const Job &job, const Shape &shape) {
        expect_sound_both_ways(stream_of(job), shape.name);
    };
    sweep_both({3, 1, 1}, {3, 2, 2}, run);
    EXPECT_EQ(refusals().count(Reason::close_mismatch), 1u);
}

TEST_F(FlowWalk, dropped_frames_are_the_same_for_all_and_keep_their_order) {
    const auto run = [](const Job &given, const Shape &shape) {
        Job job = stream_of(given, true);
        expect_sound(job, shape.name);
        if (job.sinks.size() < 2)
            return;
        job.sinks[0].drops = false;
        expect_sound_both_ways(job, "one of two sides drops");
    };
    sweep_both({3, 1, 1}, {3, 2, 2}, run);
}

TEST_F(FlowWalk, buffers_of_the_user_are_filled_inside_calls_only) {
    const auto run = [](Job job, const Shape &shape) {
        for (SinkSide &side : job.sinks)
            side.users = true;
        expect_sound_both_ways(job, shape.name);
    };
    sweep_both({2, 1, 1}, {3, 2, 2}, run);
}

TEST_F(FlowWalk, strips_arrive_as_whole_arrays) {
    for (const Calls &calls : {single_calls, all_calls})
        for (const int64_t source : {1, 2})
            for (const int64_t sink : {1, 2})
                for (const bool users : {false, true})
                    sweep(calls, {calls.start ? 2 : 3, 1, 1}, [&](Job job, const Shape &shape) {
                        if (source + sink == 2)
                            return;
                        for (SinkSide &side : job.sinks)
                            side.strips = sink, side.users = users;
                        job.strips = source;
                        job.frames = 2 * source;
                        expect_sound_both_ways(job, shape.name);
                    });
}

// Sinks of two sides take the frames in turn; a single one takes each second frame, from the first or the second.
TEST_F(FlowWalk, sinks_that_take_every_second_frame_get_theirs) {
    const auto run = [](const Job &given, const Shape &shape) {
        for (const int64_t phase : {0, 1}) {
            Job job = given;
            job.frames = job.buffers + 2 * job.sinks[0].buffers;
            for (size_t k = 0; k < job.sinks.size(); ++k)
                job.sinks[k].every = 2,
                job.sinks[k].phase = (phase + std::ssize(job.sinks) - 1 - static_cast<int64_t>(k)) % 2;
            for (const bool stream : {false, true}) {
                job.stream = stream;
                expect_sound_both_ways(job, shape.name);
            }
        }
    };
    sweep_both({1, 1, 0}, {2, 2, 1}, run);
    EXPECT_EQ(refusals().count(Reason::end_of_stream), 1u);
    EXPECT_EQ(refusals().count(Reason::close_mismatch), 1u);
}

// One of two sides takes all frames, drops, has strips or buffers of the user, and is the first or the second one.
TEST_F(FlowWalk, sinks_that_take_every_second_frame_go_with_others) {
    sweep(single_calls, {2, 1, 1}, [](const Job &given, const Shape &shape) {
        for (const bool first : {false, true}) {
            Job job = given;
            job.frames = job.buffers + 2 * job.sinks[0].buffers;
            SinkSide &side = first ? job.sinks.front() : job.sinks.back();
            side.every = 2, side.phase = 1;
            if (job.sinks.size() > 1)
                expect_sound_both_ways(job, "one of two sides");
            side.users = true;
            expect_sound_both_ways(job, shape.name);
            side.users = false;
            side.strips = 2;
            expect_sound_both_ways(job, shape.name);
            side.strips = 1;
            job.stream = side.drops = true;
            expect_sound_both_ways(job, shape.name);
        }
    });
}

// A process executes both endpoints by name, or destroys them.
TEST_F(FlowWalk, frames_in_place_are_whole) {
    for (const Shape &shape : {shapes[0], shapes[6]})
        for (int64_t n = 1; n <= 3; ++n)
            for (const bool posts_later : {false, true})
                for (const bool old_facts : {false, true}) {
                    Job job = in_place_job(shape, n);
                    job.posts_later = posts_later;
                    job.old_facts = old_facts;
                    for (job.staging = 1; job.staging <= n; ++job.staging)
                        expect_sound(job, "in place");
                }
    EXPECT_EQ(refusals().count(Reason::one_endpoint_in_place), 1u);
    EXPECT_EQ(refusals().count(Reason::peer_left_in_place), 1u);
}

// The caller changes what others read as soon as its call returns.
TEST_F(FlowWalk, frames_in_place_that_others_read_are_whole) {
    for (const Shape &shape : {shapes[0], shapes[6]})
        for (int64_t n = 1; n <= 3; ++n)
            for (const bool one_way : {false, true})
                for (const bool posts_later : {false, true})
                    for (const bool old_facts : {false, true}) {
                        Job job = in_place_job(shape, n, Way::direct);
                        job.sinks[0].one_way = one_way;
                        job.posts_later = posts_later;
                        job.old_facts = old_facts;
                        expect_sound(job, "in place, read by others");
                    }
    EXPECT_EQ(refusals().count(Reason::one_endpoint_in_place), 1u);
    EXPECT_EQ(refusals().count(Reason::peer_left_in_place), 1u);
}

// The thread takes steps at any time, and no call waits until messages are posted.
TEST_F(FlowWalk, a_progress_thread_changes_nothing) {
    const auto run = [](const Job &job, const Shape &shape) {
        for (Job each : {job, stream_of(job), stream_of(job, true)}) {
            each.posts_later = true;
            expect_sound_both_ways(each, shape.name);
        }
    };
    sweep_both({2, 1, 0}, {2, 1, 1}, run);
}

// A call learns of departures before it begins and in pauses, or later.
TEST_F(FlowWalk, old_facts_refuse_nothing_wrongly) {
    const auto run = [](const Job &job, const Shape &shape) {
        for (Job each : {job, stream_of(job), stream_of(job, true)})
            for (const bool posts_later : {false, true}) {
                each.old_facts = true;
                each.posts_later = posts_later;
                expect_sound_both_ways(each, shape.name);
            }
    };
    sweep_both({2, 1, 0}, {2, 1, 1}, run);
}

// In a ring of sinks that take nothing from their own source, each process can execute its sink first. No process
// can know that the others do the same: docs/flow_control.md says so. No other state is stuck.
TEST_F(FlowWalk, rings_wait_only_where_each_sink_precedes_its_source) {
    const auto sink_precedes_source = [](const Stuck &stuck) {
        const Ledgers &l = stuck.ledgers;
        return stuck.call.includes(l.flows[0]) && l.source->inserted().count <= l.flows[0].sink->extracted().count;
    };
    for (const Calls &calls : {single_calls, all_calls})
        for (int64_t n = 1; n <= (dri::test::sanitized ? 1 : 2); ++n)
            for (int64_t m = 1; m <= (calls.start ? 1 : 2); ++m) {
                Job job = job_of(shapes[6], {.buffers = m});
                job.sinks[0].takes_own = false;
                job.buffers = n;
                job.frames = n + m;
                job.calls = calls;
                job.calls.start = false;
                expect_sound_both_ways(job, "ring", sink_precedes_source);
            }
}

// A source in the user's memory is destroyed once nobody reads it. Sinks of the process are filled meanwhile.
TEST_F(FlowWalk, a_source_that_is_read_leaves_later) {
    sweep(single_calls, {3, 2, 1}, [](Job job, const Shape &shape) {
        job.is_read = true;
        expect_sound(job, shape.name);
    });
    for (int64_t n = 1; n <= 2; ++n)
        for (int64_t m = 1; m <= 2; ++m)
            expect_sound(swap_job(n, m), "swap", sink_is_too_late);
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

// An attempt that is not done lets the sink take its next frame later, outside a call.
TEST_F(FlowWalk, calls_that_do_not_wait_lose_nothing) {
    sweep(polling_calls, {2, 1, 1}, [](const Job &job, const Shape &shape) {
        for (Job each : {job, stream_of(job), stream_of(job, true)})
            for (const bool users : {false, true}) {
                for (SinkSide &side : each.sinks)
                    side.users = users;
                each.calls.progress = users;
                expect_sound_both_ways(each, shape.name);
            }
    });
}

TEST_F(FlowWalk, moving_between_calls_changes_nothing) {
    sweep(single_calls, {3, 2, 1}, [](Job job, const Shape &shape) {
        job.calls.progress = true;
        expect_sound_both_ways(job, shape.name);
    });
}

// The next three have up to three buffers at all ends. They are disabled because they take two minutes, and all
// tests together may take twelve. With DRI_ALL_TESTS the test unit.long_walks runs them.
TEST_F(FlowWalk, DISABLED_more_buffers_with_single_calls) {
    sweep(single_calls, {3, 3, 3},
          [](const Job &job, const Shape &shape) { expect_sound_both_ways(job, shape.name); });
}

TEST_F(FlowWalk, DISABLED_more_buffers_of_streams) {
    sweep(single_calls, {3, 3, 3},
          [](const Job &job, const Shape &shape) { expect_sound_both_ways(stream_of(job), shape.name); });
    EXPECT_EQ(refusals().count(Reason::close_mismatch), 1u);
}

TEST_F(FlowWalk, DISABLED_more_buffers_of_streams_that_drop) {
    sweep(single_calls, {3, 3, 2},
          [](const Job &job, const Shape &shape) { expect_sound(stream_of(job, true), shape.name); });
}

} // namespace dri::flow::test
