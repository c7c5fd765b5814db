// The calls of info.h about memory, counters and times of endpoints.
#include "api/arrays.hpp"
#include "api/state.hpp"
#include "commit/endpoint.hpp"
#include "commit/memory_estimate.hpp"
#include "commit/session.hpp"

#include <set>

namespace dri::api {

namespace {

// The flows with numbers [first, last).
struct PlanRange {
    size_t first, last;
};

// The flows of an endpoint: all of the transfer for a source, its own one for a sink.
PlanRange flows_of(const commit::Endpoint &endpoint) {
    if (endpoint.declaration().role == commit::Role::source)
        return {0, endpoint.transfer()->num_flows()};
    return {endpoint.flow(), endpoint.flow() + 1};
}

// Bytes per way, and the number of messages, that an endpoint has moved in a number of frames.
struct FrameBytes {
    int64_t self = 0, message = 0, direct = 0, messages = 0;

    int64_t all() const { return self + message + direct; }
    void add(const FrameBytes &other, int64_t times) {
        self += other.self * times;
        message += other.message * times;
        direct += other.direct * times;
        messages += other.messages * times;
    }
};

// A source whose frames are strips repeats the same sequence of strips with each array. The bytes of all frames
// are therefore those of whole arrays and of one incomplete array.
FrameBytes source_bytes(const plan::Plan &plan, int64_t frames) {
    const auto bytes_of = [&](int64_t strips) {
        const plan::PlanBytes bytes = plan::bytes_of_strips(plan, strips);
        return FrameBytes{bytes.self, bytes.sent, bytes.taken, bytes.sends};
    };
    const int64_t strips = plan::count_strips(plan);
    FrameBytes bytes = bytes_of(frames % strips);
    bytes.add(bytes_of(strips), frames / strips);
    return bytes;
}

// A sink may receive `together` frames at once. Their bytes count with the first of them.
FrameBytes sink_bytes(const plan::Plan &plan, int64_t frames, int64_t together) {
    const FrameBytes one{plan::self_bytes(plan), plan::receive_bytes(plan), plan::pull_bytes(plan),
                         std::ssize(plan.receives)};
    FrameBytes bytes;
    bytes.add(one, (frames + together - 1) / together);
    return bytes;
}

FrameBytes frame_bytes(const commit::Endpoint &endpoint, int64_t frames) {
    const bool source = endpoint.declaration().role == commit::Role::source;
    const auto [first, last] = flows_of(endpoint);
    FrameBytes bytes;
    for (size_t i = first; i < last; ++i) {
        const plan::Plan &plan = endpoint.transfer()->flow(i).link.plan();
        bytes.add(source ? source_bytes(plan, frames) : sink_bytes(plan, frames, endpoint.strips_together()), 1);
    }
    return bytes;
}

int64_t bytes_of_frame(const commit::Endpoint &endpoint, int64_t frame) {
    return frame_bytes(endpoint, frame + 1).all() - frame_bytes(endpoint, frame).all();
}

constexpr double second = 1e-9; // seconds in a nanosecond

void fill_spreads(const std::vector<exec::FrameTime> &times, DRI_Xfer_info &info) {
    const auto spread = [&](auto ns_of) {
        std::vector<double> seconds;
        for (const exec::FrameTime &time : times)
            seconds.push_back(static_cast<double>(ns_of(time)) * second);
        const exec::Percentiles s = exec::percentiles_of(std::move(seconds));
        return DRI_Spread{s.p50, s.p99, s.max};
    };
    info.frame_seconds = spread([](const exec::FrameTime &t) { return t.frame_ns; });
    info.wait_seconds = spread([](const exec::FrameTime &t) { return t.wait_ns; });
    info.copy_seconds = spread([](const exec::FrameTime &t) { return t.frame_ns - t.wait_ns; });
}

void fill_info(const commit::Endpoint &endpoint, DRI_Xfer_info &info) {
    const exec::LocalTransfer &transfer = *endpoint.transfer();
    const exec::EndpointState &state = endpoint.state();
    const bool source = endpoint.declaration().role == commit::Role::source;
    info = {};
    const auto [first, last] = flows_of(endpoint);
    int64_t dropped_bytes = 0; // read before the frames, so that each dropped frame is also counted as a frame
    for (size_t i = first; source && i < last; ++i) {
        const exec::Flow &flow = transfer.flow(i);
        const int64_t dropped = flow.drop.dropped();
        info.dropped += dropped;
        info.messages -= dropped * std::ssize(flow.link.plan().sends);
        dropped_bytes += dropped * plan::send_bytes(flow.link.plan());
    }
    const exec::Progress done = exec::progress(state);
    const FrameBytes bytes = frame_bytes(endpoint, done.frames);
    info.frames = done.frames;
    info.bytes_self = bytes.self;
    info.bytes_message = bytes.message - dropped_bytes;
    info.bytes_direct = bytes.direct;
    info.messages += bytes.messages;
    std::set<int> peers;
    for (size_t i = first; i < last; ++i) {
        const exec::Flow &flow = transfer.flow(i);
        const plan::Plan &plan = flow.link.plan();
        const auto &messages = source ? plan.sends : plan.receives;
        for (const plan::Message &m : messages)
            if (m.peer != plan.rank)
                peers.insert(m.peer);
        for (const plan::Puller &puller : plan.pullers)
            if (source)
                peers.insert(puller.peer);
        for (const plan::Pull &pull : plan.pulls)
            if (!source)
                peers.insert(pull.peer);
    }
    if (!source)
        info.dropped = state.dropped.read();
    info.workspace_bytes = state.workspace_bytes;
    info.plan_bytes = commit::plan_bytes_of(endpoint);
    info.peers = static_cast<int64_t>(peers.size());
    info.buffer_bytes = state.buffer_bytes;
    info.threads = endpoint.declaration().attributes.threads;
    info.commit_seconds = endpoint.commit_seconds();
    info.last_seconds = done.last_seconds;
    info.total_seconds = done.total_seconds;
    fill_spreads(state.times.last(exec::FrameTimes::capacity), info);
}

DRI_Frame_times to_public(const exec::FrameTime &time, int64_t bytes) {
    DRI_Frame_times out{};
    out.frame = time.frame;
    out.done = static_cast<double>(time.done_ns) * second;
    out.seconds = static_cast<double>(time.frame_ns) * second;
    out.wait_seconds = static_cast<double>(time.wait_ns) * second;
    out.copy_seconds = static_cast<double>(time.frame_ns - time.wait_ns) * second;
    out.bytes = bytes;
    return out;
}

DRI_Memory to_public(const commit::Session::Answer &answer) {
    const commit::MemoryEstimate &estimate = answer.estimate;
    DRI_Memory out{};
    out.workspace_bytes = estimate.workspace();
    out.message_bytes = estimate.messages;
    out.copy_bytes = estimate.copies;
    out.tile_bytes = estimate.tiles;
    out.buffer_bytes = estimate.buffers;
    out.least_bytes = answer.least_bytes;
    out.plan_bytes = estimate.plan;
    return out;
}

static_assert(int64_t{DRI_MAX_TIMES} == exec::FrameTimes::capacity);
static_assert(sizeof(DRI_Xfer_info) == 26 * sizeof(int64_t),
              "programs built with earlier versions pass a structure of this size");

} // namespace

} // namespace dri::api

extern "C" {

int DRI_xfer_query(DRI_Group scope, int n, const DRI_Xfer xfers[], DRI_Memory memory[]) {
    return dri::api::guard("DRI_xfer_query", [&] {
        if (n > 0 && memory)
            std::fill_n(memory, n, DRI_Memory{});
        const auto session = dri::api::session();
        // Arguments are checked inside the collective step, so that a wrong one fails on all processes.
        const auto answers = session->query(*dri::api::group_handles.get(scope.id), [&] {
            if (n < 0)
                dri::fail(DRI_ERR_ARG, "n is {}, but must be at least 0", n);
            dri::api::checked_array(memory, static_cast<size_t>(n), "memory");
            std::vector<std::shared_ptr<dri::commit::Endpoint>> endpoints;
            for (const DRI_Xfer xfer : dri::api::checked_array(xfers, static_cast<size_t>(n), "xfers"))
                endpoints.push_back(dri::api::endpoint_handles.get(xfer.id));
            return endpoints;
        });
        std::transform(answers.begin(), answers.end(), memory,
                       [](const dri::commit::Session::Answer &one) { return dri::api::to_public(one); });
    });
}

int DRI_xfer_get_info(DRI_Xfer xfer, DRI_Xfer_info *info) {
    return dri::api::guard("DRI_xfer_get_info", [&] {
        const auto endpoint = dri::api::get_endpoint(xfer);
        dri::api::require_pointer(info, "info");
        dri::api::fill_info(*endpoint, *info);
    });
}

int DRI_xfer_get_times(DRI_Xfer xfer, int capacity, DRI_Frame_times times[], int *n) {
    return dri::api::guard("DRI_xfer_get_times", [&] {
        const auto endpoint = dri::api::get_endpoint(xfer);
        if (capacity < 0)
            dri::fail(DRI_ERR_ARG, "capacity is {}, but must be at least 0", capacity);
        const auto out = dri::api::checked_array(times, static_cast<size_t>(capacity), "times");
        dri::api::require_pointer(n, "n");
        const auto last = endpoint->state().times.last(capacity);
        const bool alike = !endpoint->transfer()->in_strips();
        const int64_t bytes = alike ? dri::api::bytes_of_frame(*endpoint, 0) : 0;
        for (size_t i = 0; i < last.size(); ++i)
            out[i] =
                dri::api::to_public(last[i], alike ? bytes : dri::api::bytes_of_frame(*endpoint, last[i].frame));
        *n = static_cast<int>(last.size());
    });
}
}
