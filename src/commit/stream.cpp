// The first process of the source's group sends the headers of all frames, and decides which frames are dropped.
// These functions derive from that which processes have to talk to each other.
#include "commit/stream.hpp"

#include "base/checked.hpp"
#include "model/group.hpp"

#include <algorithm>

namespace dri::commit {

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
    peers.depth = matched.drops[sink] ? exec::drop_frames_under_way : source->declaration().num_buffers();
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
    peers.depth = checked_add(source->declaration().num_buffers(), 1);
    return peers;
}

bool sends_headers(const Planned &planned) {
    return std::any_of(planned.flows.begin(), planned.flows.end(),
                       [](const PlannedFlow &flow) { return !flow.headers.to.empty(); });
}

} // namespace dri::commit
