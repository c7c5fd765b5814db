// Counts what an endpoint has moved, and what it exchanges with whom.
#include "exec/statistics.hpp"

#include "exec/plan_bytes.hpp"
#include "exec/transfer.hpp"
#include "plan/plan.hpp"

#include <map>
#include <set>
#include <span>
#include <utility>

namespace dri::exec {

namespace {

// The flows of an endpoint: all of the transfer for a source, its own one for a sink.
std::span<const Flow> flows_of(const LocalTransfer &transfer, const EndpointSet &of) {
    if (of.source)
        return {&transfer.flow(0), transfer.num_flows()};
    return {&transfer.flow(of.sink), 1};
}

const EndpointState &state_of(const LocalTransfer &transfer, const EndpointSet &of) {
    if (of.source)
        return transfer.source();
    return transfer.sink(of.sink);
}

// Visits what one side of a plan exchanges in a frame: visit(peer, path, bytes, messages). This is the only place
// that knows which lists of a plan belong to which side.
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

// Bytes by path, and messages, of a number of frames.
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
    FrameBytes one;
    visit_side(plan, false, [&](int, Path path, int64_t bytes, int64_t messages) {
        (path == Path::self ? one.self : path == Path::message ? one.message : one.direct) += bytes;
        one.messages += messages;
    });
    FrameBytes bytes;
    bytes.add(one, (frames + together - 1) / together);
    return bytes;
}

FrameBytes frame_bytes(const LocalTransfer &transfer, const EndpointSet &of, int64_t frames) {
    FrameBytes bytes;
    for (const Flow &flow : flows_of(transfer, of)) {
        const plan::Plan &plan = flow.link.plan();
        bytes.add(of.source ? source_bytes(plan, frames)
                            : sink_bytes(plan, frames, flow.ledger->sink->terms().strips),
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
        s.messages -= dropped * std::ssize(flow.link.plan().sends);
        s.message_bytes -= dropped * plan::send_bytes(flow.link.plan());
    }
    const Progress done = of.source ? transfer.source_progress() : transfer.sink_progress(of.sink);
    const FrameBytes bytes = frame_bytes(transfer, of, done.frames);
    s.frames = done.frames;
    s.self_bytes = bytes.self;
    s.message_bytes += bytes.message;
    s.direct_bytes = bytes.direct;
    s.messages += bytes.messages;
    std::set<int> peers;
    for (const Flow &flow : flows_of(transfer, of))
        visit_side(flow.link.plan(), of.source, [&](int peer, Path, int64_t, int64_t) {
            if (peer != flow.link.plan().rank)
                peers.insert(peer);
        });
    s.peers = std::ssize(peers);
    for (const Flow &flow : flows_of(transfer, of)) {
        const HeldBytes held = plan_bytes(flow.link.plan());
        s.plan_bytes += of.source ? held.source : held.sink;
    }
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
    const bool alike = !transfer.in_strips();
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
