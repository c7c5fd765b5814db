// What a process knows about the others of a transfer, as far as the rules of flow control need it.
#pragma once

#include "exec/parts.hpp"
#include "flow/call.hpp"
#include "flow/refusal.hpp"

#include <optional>

namespace dri::exec {

class PeerFacts {
public:
    explicit PeerFacts(TransferParts &parts) : parts_(parts) {}

    // Writes down what is known about other processes, for a call of these endpoints.
    void observe(const flow::CallEndpoints &endpoints) {
        if (parts_.features.peers)
            observe_peers(endpoints);
    }
    // Of a stream: which processes of its sinks have reached the end.
    void observe_ends();
    // Whether messages of the source are left. Only a source with sinks that drop needs to know: then a frame may
    // wait for verdicts alone.
    void observe_sends(const flow::CallEndpoints &endpoints) {
        if (parts_.features.drops && endpoints.source)
            for (Flow &flow : parts_.flows)
                flow.ledger->peers.has_to_send = flow.link.left(Of::source);
    }
    // Which process has not pulled the frames before the source's next buffer.
    void observe_pullers() {
        const flow::SourceFrames frames = parts_.ledgers.source->frames_before_next_buffer();
        for (Flow &flow : parts_.flows)
            flow.ledger->peers.lagging_puller = flow.link.pullers().lagging(frames.count);
    }
    // Which process has not pulled all inserted frames. One that has ended reads no more.
    void observe_readers();
    // The first process among some that a call waits for, as the refusal after a timeout. Nothing if it waits for
    // none of them.
    flow::Refused missing(const flow::CallEndpoints &endpoints, const Among &among = anybody) const;
    flow::Refused missing_reader(const Among &among) const; // for the end of the source

private:
    bool runs(int peer) const;
    void observe_peers(const flow::CallEndpoints &endpoints);
    static void observe_end(Flow &flow);

    TransferParts &parts_;
};

} // namespace dri::exec
