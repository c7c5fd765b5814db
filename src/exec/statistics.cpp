// Counts what an endpoint has moved, and what it exchanges with whom.
#include "exec/statistics.hpp"

#include "exec/frame_sums.hpp"
#include "exec/transfer.hpp"
#include "plan/plan.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

namespace dri::exec {

namespace {

// The flows of an endpoint: all of the transfer for a source, its own one for a sink.
std::span<const Flow> flows_of(const LocalTransfer &transfer, const EndpointSet &of) {
    if (of.source)
        return {transfer.flows().data(), transfer.flows().size()};
    return {&transfer.flows()[of.sink], 1};
}

const EndpointState &state_of(const LocalTransfer &transfer, const EndpointSet &of) {
    if (of.source)
        return transfer.source();
    return transfer.sink(of.sink);
}

// Visits what one side of a plan exchanges in a frame: visit(peer, path, bytes, messages).
template <class F> void visit_side(const plan::Plan &plan, bool source, F visit) {
    if (!plan.self.empty())
        visit(plan.rank, Path::self, plan::self_bytes(plan), 0);
    for (const plan::Message &message : source ? plan.sends : plan.receives)
        visit(message.peer, Path::message, message.bytes, 1);
    if (source)
        for (const plan::Puller &puller : plan.pullers)
            visit(puller.peer, Path::direct, puller.bytes, 0);
    else
        for (const plan::Pull &pull : plan.pulls)
            visit(pull.peer, Path::direct, plan::pull_bytes(pull), 0);
}

FrameBytes frame_bytes(const LocalTransfer &transfer, const EndpointSet &of, int64_t frames) {
    FrameBytes bytes;
    for (const Flow &flow : flows_of(transfer, of)) {
        const bool skips = of.source && flow.pattern().skips();
        bytes.add((of.source ? flow.sent : flow.received)
                      .first(skips ? flow.pattern().arrays_in({frames}).count : frames),
                  1);
    }
    return bytes;
}

constexpr double second = 1e-9; // seconds in a nanosecond

void add_spreads(Statistics &s, const std::vector<FrameTime> &times) {
    const auto spread = [&](auto ns_of) {
        std::vector<double> seconds;
        for (const FrameTime &time : times)
            seconds.push_back(static_cast<double>(ns_of(time)) * second);
        return percentiles_of(std::move(seconds));
    };
    s.frame_seconds = spread([](const FrameTime &t) { return t.frame_ns; });
    s.wait_seconds = spread([](const FrameTime &t) { return t.wait_ns; });
    s.copy_seconds = spread([](const FrameTime &t) { return t.frame_ns - t.wait_ns; });
}

} // namespace

// Dropped frames are read before the frames, so that each dropped frame is also counted as a frame.
Statistics statistics(const LocalTransfer &transfer, const EndpointSet &of) {
    const EndpointState &state = state_of(transfer, of);
    Statistics s;
    for (const Flow &flow : flows_of(transfer, of)) {
        if (!of.source)
            continue;
        const int64_t dropped = flow.dropped();
        s.dropped += dropped;
        s.messages -= dropped * flow.sent.array().messages;
        s.message_bytes -= dropped * flow.sent.array().message;
    }
    const Progress done = of.source ? transfer.source_progress() : transfer.sink_progress(of.sink);
    const FrameBytes bytes = frame_bytes(transfer, of, done.frames);
    s.frames = done.frames;
    s.self_bytes = bytes.self;
    s.message_bytes += bytes.message;
    s.direct_bytes = bytes.direct;
    s.messages += bytes.messages;
    s.peers = state.peers;
    s.plan_bytes = state.plan_bytes;
    if (!of.source)
        s.dropped = done.dropped;
    s.workspace_bytes = state.memory.workspace();
    s.buffer_bytes = state.buffer_bytes;
    s.last_seconds = done.last_seconds;
    s.total_seconds = done.total_seconds;
    add_spreads(s, state.times.last(FrameTimes::capacity));
    return s;
}

std::vector<TimedFrame> timed_frames(const LocalTransfer &transfer, const EndpointSet &of, int64_t max_frames) {
    const auto bytes_of = [&](int64_t frame) {
        return frame_bytes(transfer, of, frame + 1).all() - frame_bytes(transfer, of, frame).all();
    };
    const auto &flows = transfer.ledgers().flows;
    const bool alike =
        std::all_of(flows.begin(), flows.end(), [](const flow::FlowLedger &flow) { return flow.counts_alike(); });
    const int64_t bytes = alike ? bytes_of(0) : 0;
    std::vector<TimedFrame> out;
    for (const FrameTime &time : state_of(transfer, of).times.last(max_frames))
        out.push_back({time, alike ? bytes : bytes_of(time.frame)});
    return out;
}

std::vector<PeerTraffic> peer_traffic(const LocalTransfer &transfer, const EndpointSet &of) {
    std::map<std::pair<int, Path>, PeerTraffic> peers;
    for (const Flow &flow : flows_of(transfer, of))
        visit_side(flow.link.plan(), of.source, [&](int rank, Path path, int64_t bytes, int64_t messages) {
            PeerTraffic &peer = peers[{rank, path}];
            peer = {rank, path, peer.bytes + bytes, peer.messages + messages};
        });
    std::vector<PeerTraffic> out;
    for (const auto &[key, peer] : peers)
        out.push_back(peer);
    return out;
}

} // namespace dri::exec
