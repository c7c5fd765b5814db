// The rules for a call that has begun: whether it is done, what it waits for, and whether its wait can still end.
// A wait asks them again and again, so each is a function of its own.
#pragma once

#include "flow/call.hpp"

namespace dri::flow {

// The state of a call that has begun: its second halves can be done, wait for something, or will never be
// possible.
// posts_later: as in has_moved().
Ruling resume(const Ledgers &ledgers, const CallEndpoints &endpoints, bool posts_later = false);

// Whether the frames of a call are done: all its sinks have their frame, and the source's messages are posted.
// posts_later: the progress thread may post them later. In place, all must be posted: the caller owns the buffer
// as soon as the sink's frame is whole. No verdict about drops is waited for.
bool has_moved(const Ledgers &ledgers, const CallEndpoints &endpoints, bool posts_later = false);
// Whether the source's next buffer is free: its old frame is posted, copied by the process's sinks, and pulled by
// all other processes.
bool has_buffer(const Ledgers &ledgers);
// A process that still reads frames of the source where they lie, so that it cannot be destroyed yet.
std::optional<int> reader(const Ledgers &ledgers);
// Whether the process's own sink still needs the frame in the source's next buffer.
bool holds_buffer(const Ledgers &ledgers, const FlowLedger &flow);
// Whether the call waits for a frame of this sink.
bool needs(const Ledgers &ledgers, const CallEndpoints &endpoints, const FlowLedger &flow);
// Whether the source's frame waits only for verdicts of the source's first process, about sinks that drop.
bool awaits_verdict(const Ledgers &ledgers);

// Why a call that waits will never be done, if that is known: a process has left, or the stream has ended.
Refused lost(const Ledgers &ledgers, const CallEndpoints &endpoints);
Refused over(const Ledgers &ledgers, const CallEndpoints &endpoints);
// The stream was closed before a frame of this process's source. The source then fails for ever.
// frames: those handed over, or about to be. Nothing without a stream.
Refused closed_differently(const Ledgers &ledgers, SourceFrames frames);
Refused refuse_past_close(const Ledgers &ledgers, SourceFrames frames); // of a stream
// The sink's next frame will never be whole: this process has left, after the frames that it handed over.
Refusal source_gone(const FlowLedger &flow, const Departed &source);

// Three rules that hold before a call and while it waits.
//
// In place, a receiver that has left keeps its slots.
Refused refuse_slots(const Ledgers &ledgers, bool inserts);
// A process has left that the sink's next frame needs; refuse_without() names it.
Refused refuse_without(const FlowLedger &flow, const Departed &sender);
Refused refuse_without_senders(const Ledgers &ledgers, const FlowLedger &flow);
// A sink that drops frames has all frames of its own process's source. more: frames that the same call inserts.
Refused refuse_dropped(const Ledgers &ledgers, const FlowLedger &flow, int64_t more);

// What every frame asks is inline.

inline bool holds_buffer(const Ledgers &l, const FlowLedger &flow) {
    return flow.terms.copies_own_part && flow.has_sink() && flow.taken() < l.source->frames_before_next_buffer();
}

inline bool has_moved(const Ledgers &l, const CallEndpoints &endpoints, bool posts_later) {
    if (endpoints.source && l.source->posted() < l.source->inserted() && (l.in_place || !posts_later) &&
        !awaits_verdict(l))
        return false;
    for (const FlowLedger &flow : l.flows)
        if (endpoints.includes(flow) && !flow.sink->has_next())
            return false;
    return true;
}

inline Refused closed_differently(const Ledgers &l, SourceFrames frames) {
    return l.source->terms().stream ? refuse_past_close(l, frames) : std::nullopt;
}

inline bool has_buffer(const Ledgers &l) {
    if (l.source->posted() < l.source->frames_before_next_buffer())
        return false;
    for (const FlowLedger &flow : l.flows)
        if (holds_buffer(l, flow) || flow.peers.lagging_puller)
            return false;
    return true;
}

inline bool needs(const Ledgers &l, const CallEndpoints &endpoints, const FlowLedger &flow) {
    return (endpoints.includes(flow) && !flow.sink->has_next()) || (endpoints.source && holds_buffer(l, flow));
}

} // namespace dri::flow
