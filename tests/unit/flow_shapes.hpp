// The jobs that are walked: which processes are in the source and in the sinks, and which calls they do.
#pragma once

#include "flow_job.hpp"

namespace dri::flow::test {

// Each call alone, the same with calls that do not wait, or all others. All of these also destroy endpoints and
// close streams at any time.
inline constexpr Calls single_calls{.handles = false, .by_name = false, .close_early = true};
inline constexpr Calls polling_calls{.handles = false, .by_name = false, .attempts = true, .close_early = true};
inline constexpr Calls all_calls{.start = true, .close_early = true};

// The processes of the source, and of each sink side.
struct Shape {
    const char *name;
    std::vector<int> sources;
    std::vector<std::vector<int>> sinks;
};
inline const std::vector<Shape> shapes{
    {"one process", {0}, {{0}}},
    {"another process", {0}, {{1}}},
    {"two sinks of one side", {0}, {{0, 1}}},
    {"two sinks of two sides", {0}, {{0}, {1}}},
    {"two sources", {0, 1}, {{1}}},
    {"two sources, another process", {0, 1}, {{2}}},
    {"two of each", {0, 1}, {{0, 1}}},
    {"two of each, one in common", {0, 1}, {{1, 2}}},
};

inline Job job_of(const Shape &shape, const SinkSide &side) {
    Job job;
    job.sources = shape.sources;
    for (const std::vector<int> &group : shape.sinks) {
        job.sinks.push_back(side);
        job.sinks.back().group = group;
    }
    return job;
}

inline Job stream_of(Job job, bool drops = false) {
    job.stream = true;
    for (SinkSide &side : job.sinks)
        side.drops = drops;
    return job;
}

// Two processes exchange their parts. Their sources are in the user's memory, where the other process reads them.
inline Job swap_job(int64_t n, int64_t m) {
    Job job = job_of(shapes[6], {.buffers = m});
    job.sinks[0].takes_own = false;
    job.buffers = n;
    job.frames = n + m;
    job.calls = single_calls;
    job.is_read = true;
    return job;
}
// A process waits for ever for a frame that its source has not handed over, or to destroy a source before its sink
// can take another frame. docs/flow_control.md allows both.
inline bool sink_is_too_late(const Stuck &stuck) {
    const FlowLedger &flow = stuck.ledgers.flows[0];
    if (stuck.leaves)
        return flow.has_sink() && flow.sink->reach() == flow.sink->whole();
    return stuck.call.includes(flow) && stuck.ledgers.source->inserted().count <= flow.sink->extracted().count;
}

// Source and sink of each process share their buffers. By messages, data arrive where others have left; in a halo
// exchange they are read where they lie, and arrive elsewhere.
inline Job in_place_job(const Shape &shape, int64_t n, Way way = Way::message) {
    Job job = job_of(shape, {.buffers = n});
    job.buffers = n;
    job.frames = 2 * n;
    job.way = way;
    job.in_place = true;
    job.calls = all_calls;
    return job;
}

} // namespace dri::flow::test
