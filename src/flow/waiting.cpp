// What a call waits for, and what ends its wait.
#include "flow/waiting.hpp"

namespace dri::flow {

// A receiver that has left never frees its slots, and in place there are no spare ones.
Refused refuse_slots(const Ledgers &l, bool inserts) {
    if (!l.in_place || !(inserts || l.source->posting()))
        return std::nullopt;
    for (const FlowLedger &flow : l.flows)
        if (const auto &left = flow.peers.slot_holder)
            return Refusal{
                .reason = Reason::peer_left_in_place, .peer = left->peer, .peer_frame = left->frames.count};
    return std::nullopt;
}

// A source that closed the stream earlier counts only once the header of the frame has arrived: the header proves
// that the frame exists.
Refused refuse_without(const FlowLedger &flow, const Departed &sender) {
    if (sender.ended && !flow.sink->header_arrived())
        return std::nullopt;
    return source_gone(flow, sender);
}

Refused refuse_without_senders(const Ledgers &l, const FlowLedger &flow) {
    const SinkLedger &sink = *flow.sink;
    if (sink.header_arrived() && l.source && l.source->closed() && flow.terms.copies_own_part &&
        flow.terms.pattern.end(sink.whole()) > l.source->inserted())
        return source_gone(flow, {l.rank, l.source->inserted(), true});
    return flow.peers.sender_left ? refuse_without(flow, *flow.peers.sender_left) : std::nullopt;
}

// Refuses a sink that drops frames if all frames of its own process's source are taken or dropped. Such a sink
// holds up no source. Waits check it again, because a drop during the wait can remove the frame that was to come.
Refused refuse_dropped(const Ledgers &l, const FlowLedger &flow, int64_t more) {
    if (!flow.terms.drops || !flow.terms.has_own_part || flow.sink->whole() < flow.to_come(*l.source, more))
        return std::nullopt;
    return Refusal{.reason = Reason::all_dropped, .frame = flow.sink->whole().count};
}

std::optional<int> reader(const Ledgers &l) {
    for (const FlowLedger &flow : l.flows)
        if (flow.peers.reader)
            return flow.peers.reader;
    return std::nullopt;
}

bool awaits_verdict(const Ledgers &l) {
    if (!l.drops || !l.source->posting())
        return false;
    bool awaits = false;
    for (const FlowLedger &flow : l.flows) {
        if (flow.peers.has_to_send)
            return false;
        awaits = awaits || flow.drop.awaits_verdict();
    }
    return awaits;
}

Refusal source_gone(const FlowLedger &flow, const Departed &source) {
    const int64_t frame = flow.number_of(flow.sink->arrived());
    if (source.ended)
        return {.reason = Reason::close_mismatch,
                .peer = source.peer,
                .other = flow.terms.first_source,
                .frame = frame,
                .peer_frame = source.frames.count};
    return {.reason = Reason::source_gone, .peer = source.peer, .frame = frame, .peer_frame = source.frames.count};
}

// The source has more frames than the close allows.
Refused refuse_past_close(const Ledgers &l, SourceFrames frames) {
    const auto closed = l.known_close();
    if (!closed || closed->frames >= frames)
        return std::nullopt;
    return Refusal{.reason = Reason::close_mismatch,
                   .peer = closed->peer,
                   .other = l.rank,
                   .frame = closed->frames.count,
                   .peer_frame = closed->frames.count};
}

Refused lost(const Ledgers &l, const CallEndpoints &endpoints) {
    if (const auto refused = refuse_slots(l, false))
        return refused;
    if (endpoints.source)
        if (const auto closed = closed_differently(l, l.source->inserted()))
            return closed;
    for (const FlowLedger &flow : l.flows)
        if (needs(l, endpoints, flow))
            if (const auto refused = refuse_without_senders(l, flow))
                return refused;
    return std::nullopt;
}

// Refuses to wait for a frame that does not exist: after the end, or because only this caller could send it.
Refused over(const Ledgers &l, const CallEndpoints &endpoints) {
    for (const FlowLedger &flow : l.flows) {
        if (!needs(l, endpoints, flow))
            continue;
        if (flow.sink->over() && endpoints.source)
            if (const auto closed = closed_differently(l, l.source->inserted()))
                return closed;
        if (flow.sink->over())
            return Refusal{.reason = Reason::end_of_stream, .frame = flow.sink->closed_after().count};
        if (const auto refused = refuse_dropped(l, flow, 0))
            return refused;
    }
    return std::nullopt;
}

Ruling resume(const Ledgers &l, const CallEndpoints &endpoints, bool posts_later) {
    if (has_moved(l, endpoints, posts_later) && (!endpoints.source || has_buffer(l)))
        return Ruling::of(endpoints.source ? closed_differently(l, l.source->inserted()) : std::nullopt);
    if (const auto refused = over(l, endpoints))
        return Ruling::of(refused);
    if (const auto refused = lost(l, endpoints))
        return Ruling::of(refused);
    return {.kind = Ruling::wait};
}

} // namespace dri::flow
