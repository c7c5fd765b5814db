// The first process of the source's group sends the headers of all frames, and decides which frames are dropped.
// These functions derive from that which processes have to talk to each other.
#include "commit/stream.hpp"

#include "base/checked.hpp"
#include "model/group.hpp"

#include <algorithm>

namespace dri::commit {

namespace {

int64_t num_buffers(const Endpoint &endpoint) { return std::ssize(endpoint.declaration().buffers); }

} // namespace

// The channel has memory for one header for each buffer of the source. A sink that drops is at most
// frames_under_way behind, so its channel needs no more than that.
exec::HeaderPeers header_peers(const MatchedTransfer &matched, size_t sink, const Endpoint *source,
                               const Endpoint *endpoint) {
    exec::HeaderPeers peers;
    if (!matched.stream)
        return peers;
    const model::Group &from = matched.source.dist->group();
    peers.first = from.rank(0);
    peers.in_sink = endpoint != nullptr;
    if (!source || matched.rank != peers.first)
        return peers;
    peers.to = matched.sinks[sink].dist->group().ranks();
    peers.depth = matched.drops[sink] ? exec::drop_frames_under_way : num_buffers(*source);
    peers.has_own = endpoint != nullptr;
    return peers;
}

// There is memory for one verdict more than the source has buffers. The first process never waits for it.
exec::DropPeers drop_peers(const MatchedTransfer &matched, size_t sink, const Endpoint *source,
                           const Endpoint *endpoint) {
    exec::DropPeers peers;
    if (!matched.drops[sink])
        return peers;
    const model::Group &from = matched.source.dist->group();
    peers.drops = true;
    peers.first = from.rank(0);
    peers.in_source = source != nullptr;
    peers.in_sink = endpoint != nullptr;
    if (!source || matched.rank != peers.first)
        return peers;
    peers.receivers = matched.sinks[sink].dist->group().ranks();
    for (int q = 1; q < from.size(); ++q)
        peers.others.push_back(from.rank(q));
    peers.depth = checked_add(num_buffers(*source), 1);
    return peers;
}

bool sends_headers(const DraftTransfer &draft) {
    return std::any_of(draft.flows.begin(), draft.flows.end(),
                       [](const DraftTransfer::Flow &flow) { return !flow.headers.to.empty(); });
}

int64_t header_bytes(int64_t buffers) { return checked_mul(buffers, int64_t{sizeof(exec::FrameHeader)}); }

// The buffers' headers are kept once, the memory of the channels is counted for each flow.
int64_t source_header_bytes(const DraftTransfer &draft) {
    int64_t bytes = sends_headers(draft) ? header_bytes(num_buffers(*draft.source_endpoint)) : 0;
    for (const DraftTransfer::Flow &flow : draft.flows)
        bytes = checked_add(bytes, checked_add(exec::header_layout(flow.headers).bytes(exec::Of::source),
                                               exec::drop_layout(flow.drop).bytes(exec::Of::source)));
    return bytes;
}

int64_t sink_header_bytes(const DraftTransfer::Flow &flow) {
    if (!flow.headers.in_sink)
        return 0;
    return checked_add(header_bytes(num_buffers(*flow.endpoint)),
                       checked_add(exec::header_layout(flow.headers).bytes(exec::Of::sink),
                                   exec::drop_layout(flow.drop).bytes(exec::Of::sink)));
}

} // namespace dri::commit
