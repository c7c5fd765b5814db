// The refusals of calls, in the order in which a call reports them.
#include "flow/admission.hpp"

#include "flow/waiting.hpp"

#include <algorithm>

namespace dri::flow {

namespace {

bool starts_source(const Ledgers &l, const Call &call) {
    return call.act == Act::execute && call.endpoints.source && !l.source->started();
}

// What the call does at a sink that it includes.
SinkUse use_of(const Call &call, const SinkLedger &sink) {
    return {.extracts = true, .releases = call.act == Act::execute && !sink.started()};
}

Refused refuse_source(const SourceLedger &source) {
    if (source.left())
        return Refusal{.reason = Reason::source_left};
    if (source.closed())
        return Refusal{.reason = Reason::source_closed, .frame = source.inserted().count};
    return std::nullopt;
}

// In place, refuses calls of half a frame: neither endpoint can move a frame without the other.
Refused refuse_alone(const Ledgers &l, const CallEndpoints &endpoints) {
    if (!l.in_place)
        return std::nullopt;
    if (!endpoints.all_sinks)
        return Refusal{.reason = Reason::one_endpoint_in_place};
    if (l.source->left())
        return Refusal{.reason = Reason::source_left_in_place};
    if (l.flows.front().sink->left())
        return Refusal{.reason = Reason::sink_left_in_place};
    return std::nullopt;
}

// Refuses to insert if no process is left to take the source's next frame. A source whose part is empty has no
// pullers and no receivers; it may insert for ever. A process that has left counts only once the source has handed
// over as many frames as that process took: at the end of a stream, break_with() in exec/breaking.cpp reports the
// close of the source's first process also to slower ones, which have still to hand frames over.
Refused refuse_without_sinks(const Ledgers &l) {
    const SourceLedger &source = *l.source;
    std::optional<Departed> left;
    bool taken = false;
    for (const FlowLedger &flow : l.flows) {
        const auto leaves = [&](const Departed &departed) {
            // With dropped frames, the verdict of the source's first process reports frames after the end.
            if (departed.ended && flow.terms.drops)
                taken = true;
            else if (!left || !left->ended)
                left = departed;
        };
        if (const auto &all = flow.peers.receivers_left; all && all->frames <= flow.handed_over(source))
            leaves(*all);
        else
            taken = taken || flow.terms.has_outflow;
        if (!flow.terms.copies_own_part)
            continue;
        if (flow.sink->left())
            leaves({l.rank, {flow.sink->extracted().count}});
        else if (flow.sink->over())
            leaves({l.rank, flow.sink->closed_after(), true});
        else
            taken = true;
    }
    if (!left || taken)
        return std::nullopt;
    if (left->ended)
        if (const auto closed = closed_differently(l, source.inserted() + 1))
            return closed;
    return Refusal{.reason = Reason::no_sink_left,
                   .peer = left->peer,
                   .frame = source.inserted().count,
                   .peer_frame = left->frames.count};
}

// Refuses to insert if nobody could ever take the frame, or if the caller has no buffer to hand over.
Refused refuse_insert(const Ledgers &l) {
    if (const auto refused = refuse_source(*l.source))
        return refused;
    if (const auto refused = refuse_without_sinks(l))
        return refused;
    if (!l.source->holds_buffer())
        return Refusal{.reason = Reason::no_buffer_to_insert};
    return std::nullopt;
}

// What the caller can do if a source would wait for the process's own sink. The sink alone is advised only if the
// source has handed over all that its next frame needs: otherwise the sink would in turn wait for the source.
// A call by name moves one frame of each endpoint, which does not suit endpoints that count differently.
Remedy remedy(const Ledgers &l, const FlowLedger &flow, Remedy more) {
    const bool sink_can_start = flow.sink->next_array() < flow.to_come(*l.source);
    if (!flow.counts_alike())
        return sink_can_start ? Remedy::sink_first : Remedy::start_sink_first;
    return sink_can_start ? Remedy::by_name_or_sink_first : more;
}

// Refuses a wait for a buffer that only this process could end. The next buffer is free once all sinks have taken
// the frame that it holds. The sinks of this process take that frame as far as they have buffers for it (reach).
// They must keep up even if they take nothing from this process's source. Otherwise sources could wait in a ring:
// each waits for a sink whose process waits for the next one. Take the lowest frame that some sink process has not
// taken: all sinks have taken all frames below it. With this rule some process can always go on with that frame.
Refused refuse_acquire(const Ledgers &l, const Call &call) {
    const SourceLedger &source = *l.source;
    if (const auto refused = refuse_source(source))
        return refused;
    if (const auto closed = closed_differently(l, source.inserted()))
        return closed;
    const int64_t n = source.terms().buffers;
    const SourceFrames inserted = source.inserted() + (starts_source(l, call) ? 1 : 0);
    if (source.acquired() - inserted >= n)
        return Refusal{.reason = Reason::source_buffers_held, .count = n};
    // A frame also waits for staging for its messages, so the staging limits how far the source may be ahead.
    const int64_t ahead = std::min(n - 1, source.terms().message_frames) + 1;
    for (const FlowLedger &flow : l.flows) {
        if (!flow.terms.binds || flow.sink->left())
            continue;
        const SinkUse use = call.endpoints.includes(flow) ? use_of(call, *flow.sink) : SinkUse{};
        const SourceFrames taken = flow.terms.pattern.first(flow.sink->reach(use));
        if (ahead < n && taken < inserted + 1 - ahead)
            return Refusal{.reason = Reason::staging_full,
                           .remedy = remedy(l, flow, Remedy::by_name_or_more_workspace),
                           .frame = inserted.count - 1,
                           .peer_frame = inserted.count - ahead,
                           .count = source.terms().message_frames};
        if (taken < source.frames_before_next_buffer())
            return Refusal{.reason = Reason::too_far_ahead,
                           .remedy = remedy(l, flow, Remedy::by_name_or_another_buffer),
                           .frame = source.acquired().count - 1,
                           .peer_frame = source.acquired().count - n,
                           .count = n};
        if (holds_buffer(l, flow))
            if (const auto refused = refuse_without_senders(l, flow))
                return refused;
    }
    return std::nullopt;
}

// Refuses a wait for a frame that needs this process's own source. more: frames that the same call inserts.
Refused refuse_extract(const Ledgers &l, const FlowLedger &flow, int64_t more) {
    const SinkLedger &sink = *flow.sink;
    if (sink.has_next() || sink.over()) // if it is over, the call releases a frame and then reports the end
        return std::nullopt;
    const bool has_own = flow.terms.has_own_part;
    if (has_own && l.source->left() && sink.next_array() >= flow.to_come(*l.source))
        return source_gone(flow, {l.rank, l.source->inserted(), false});
    if (const auto refused = refuse_without_senders(l, flow))
        return refused;
    if (const auto refused = refuse_dropped(l, flow, more))
        return refused;
    if (!has_own || sink.next_array() < flow.to_come(*l.source, more))
        return std::nullopt;
    const bool strips = flow.terms.pattern.span > 1;
    return Refusal{.reason = strips ? Reason::own_strips_behind : Reason::own_source_behind,
                   .remedy = flow.counts_alike() ? Remedy::by_name_or_source_first : Remedy::source_first,
                   .frame = flow.number_of(sink.extracted()),
                   .peer_frame = l.source->inserted().count,
                   .count = flow.needed().count};
}

// Refuses a wait for a frame that has no free buffer, because only the caller can release one.
Refused refuse_capacity(const FlowLedger &flow, const SinkUse &use) {
    const SinkLedger &sink = *flow.sink;
    if (sink.reach(use) > sink.next_array() || (sink.over() && !sink.has_next()))
        return std::nullopt;
    if (sink.terms().strips > 1)
        return Refusal{.reason = Reason::sink_store_held,
                       .frame = flow.number_of(sink.extracted()),
                       .peer_frame = sink.extracted() - sink.released(),
                       .count = sink.terms().strips};
    return Refusal{.reason = Reason::sink_buffers_held,
                   .frame = flow.number_of(sink.extracted()),
                   .count = sink.terms().buffers};
}

// All refusals of a call with a second half.
Refused refuse_finish(const Ledgers &l, const Call &call) {
    const bool inserts = starts_source(l, call);
    if (const auto refused = refuse_slots(l, inserts))
        return refused;
    if (const size_t one = call.endpoints.sink; one != CallEndpoints::no_sink && l.flows[one].sink->left())
        return Refusal{.reason = Reason::sink_left};
    if (inserts)
        if (const auto refused = refuse_insert(l))
            return refused;
    if (call.endpoints.source)
        if (const auto refused = refuse_acquire(l, call))
            return refused;
    for (const FlowLedger &flow : l.flows) {
        if (!call.endpoints.includes(flow))
            continue;
        if (const auto refused = refuse_extract(l, flow, inserts ? 1 : 0))
            return refused;
        if (const auto refused = refuse_capacity(flow, use_of(call, *flow.sink)))
            return refused;
    }
    return std::nullopt;
}

// Unlike refuse_finish() it tests neither capacity nor deadlock, because a start does not wait.
Refused refuse_start(const Ledgers &l, const CallEndpoints &endpoints) {
    if (endpoints.sink != CallEndpoints::no_sink && l.flows[endpoints.sink].sink->left())
        return Refusal{.reason = Reason::sink_left};
    for (const FlowLedger &flow : l.flows)
        if (endpoints.includes(flow) && flow.sink->started())
            return Refusal{.reason = Reason::sink_started};
    if (endpoints.source && l.source->started())
        return Refusal{.reason = Reason::source_started};
    if (endpoints.source)
        if (const auto refused = refuse_insert(l))
            return refused;
    return refuse_slots(l, endpoints.source);
}

Refused refuse_release(const SinkLedger &sink) {
    if (sink.left())
        return Refusal{.reason = Reason::sink_left};
    if (!sink.holds_frame())
        return Refusal{.reason = Reason::no_frame_held};
    return std::nullopt;
}

Refused refuse_close(const Ledgers &l) {
    const SourceLedger &source = *l.source;
    if (source.left())
        return Refusal{.reason = Reason::source_left};
    if (!source.terms().stream)
        return Refusal{.reason = Reason::not_a_stream};
    if (source.closed())
        return Refusal{.reason = Reason::closed_already};
    return closed_differently(l, source.inserted());
}

// Frames that are in the source's buffers are lost when it is destroyed, if the process's own sink has not taken
// them. The caller knows what it has extracted. Strips that are filled ahead are whole before it extracts
// them.
Refused refuse_leave(const Ledgers &l) {
    for (const FlowLedger &flow : l.flows) {
        if (!flow.sink || flow.sink->left() || flow.terms.drops || !flow.terms.has_own_part || flow.sink->over())
            continue;
        const SinkLedger &sink = *flow.sink;
        const SinkFrames begun = sink.extracted() + (sink.terms().strips - 1);
        const FlowFrames kept = sink.terms().fills_all ? sink.whole() : flow.sink_strips().array_of(begun);
        if (const SourceFrames first_lost = flow.terms.pattern.first(kept); first_lost < l.source->inserted())
            return Refusal{.reason = Reason::frame_would_be_lost, .frame = first_lost.count};
    }
    return std::nullopt;
}

Refused refuse_call(const Ledgers &l, const Call &call) {
    switch (call.act) {
    case Act::insert: return refuse_insert(l);
    case Act::release: return refuse_release(*l.flows[call.endpoints.sink].sink);
    case Act::start: return refuse_start(l, call.endpoints);
    case Act::finish:
    case Act::attempt:
    case Act::execute: return refuse_finish(l, call);
    case Act::test: return std::nullopt;
    case Act::close: return refuse_close(l);
    case Act::leave: return refuse_leave(l);
    }
    return std::nullopt;
}

} // namespace

// A close and a leave are refused for their own reasons alone.
Ruling admit(const Ledgers &l, const Call &call) {
    if (call.act != Act::close && call.act != Act::leave) {
        if (const auto refused = refuse_alone(l, call.endpoints))
            return Ruling::of(refused);
        if ((call.endpoints.all_sinks || call.endpoints.started_only) && !call.endpoints.includes_any(l))
            return Ruling::of(
                Refusal{.reason = call.endpoints.started_only ? Reason::nothing_started : Reason::endpoints_left});
    }
    return Ruling::of(refuse_call(l, call));
}

} // namespace dri::flow
