// DRI_xfer_get_peers: the processes with which an endpoint exchanges data, and by which way.
#include "api/arrays.hpp"
#include "api/state.hpp"
#include "base/checked.hpp"
#include "commit/endpoint.hpp"

#include <map>
#include <utility>

namespace dri::api {

namespace {

// Bytes and messages of a frame, added up for each process and way.
class Peers {
public:
    void add(int rank, int way, int64_t bytes, int64_t messages = 0) {
        DRI_Peer &peer = peers_[{rank, way}];
        peer.rank = rank;
        peer.way = way;
        peer.bytes += bytes;
        peer.messages += messages;
    }

    void add(const plan::Plan &plan, bool source) {
        if (!plan.self.empty())
            add(plan.rank, DRI_WAY_SELF, plan::self_bytes(plan));
        for (const plan::Message &message : source ? plan.sends : plan.receives)
            add(message.peer, DRI_WAY_MESSAGE, message.bytes, 1);
        if (source)
            for (const plan::Puller &puller : plan.pullers)
                add(puller.peer, DRI_WAY_DIRECT, puller.bytes);
        else
            for (const plan::Pull &pull : plan.pulls)
                add(pull.peer, DRI_WAY_DIRECT, plan::pull_bytes(pull));
    }

    const std::map<std::pair<int, int>, DRI_Peer> &all() const { return peers_; }

private:
    std::map<std::pair<int, int>, DRI_Peer> peers_;
};

// A source has the peers of all flows, a sink those of its own flow.
Peers peers_of(const commit::Endpoint &endpoint) {
    const exec::LocalTransfer &transfer = *endpoint.transfer();
    const bool source = endpoint.declaration().role == commit::Role::source;
    Peers peers;
    for (size_t i = 0; i < transfer.num_flows(); ++i)
        if (source || i == endpoint.flow())
            peers.add(transfer.flow(i).link.plan(), source);
    return peers;
}

} // namespace

} // namespace dri::api

extern "C" {

int DRI_xfer_get_peers(DRI_Xfer xfer, int capacity, DRI_Peer peers[], int *n) {
    return dri::api::guard("DRI_xfer_get_peers", [&] {
        const auto endpoint = dri::api::get_endpoint(xfer);
        if (capacity < 0)
            dri::fail(DRI_ERR_ARG, "capacity is {}, but must be at least 0", capacity);
        const auto out = dri::api::checked_array(peers, static_cast<size_t>(capacity), "peers");
        dri::api::require_pointer(n, "n");
        const auto found = dri::api::peers_of(*endpoint);
        size_t written = 0;
        for (const auto &[key, peer] : found.all())
            if (written < out.size())
                out[written++] = peer;
        *n = dri::narrow<int>(std::ssize(found.all()));
    });
}
}
