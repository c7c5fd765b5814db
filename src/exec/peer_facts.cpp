// Collects facts about other processes, and chooses whom a timeout names.
#include "exec/peer_facts.hpp"

#include "flow/waiting.hpp"
#include "transport/departures.hpp"

namespace dri::exec {

namespace {

// Almost always nobody has left.
void note(std::optional<flow::Departed> &fact, const std::optional<transport::Departure> &departure) {
    fact.reset();
    if (departure)
        fact = flow::Departed{departure->peer, {departure->frames}, departure->complete()};
}

} // namespace

// Only facts that the rules need for this call are collected: a departure is looked for among all peers.
void PeerFacts::observe_peers(const flow::CallEndpoints &endpoints) {
    const flow::SourceLedger *const source =
        parts_.ledgers.source && !parts_.ledgers.source->left() ? &*parts_.ledgers.source : nullptr;
    for (Flow &flow : parts_.flows) {
        flow::PeerLedger &peers = flow.ledger->peers;
        const auto &sink = flow.ledger->sink;
        peers.sender_left.reset();
        if (flow.link.shape().has_inflow && flow::needs(parts_.ledgers, endpoints, *flow.ledger) &&
            flow.link.any_sender_left())
            note(peers.sender_left, flow.link.sender_left(sink->whole().count));
        if (!source)
            continue;
        if (endpoints.source && flow.link.shape().has_outflow)
            note(peers.receivers_left, flow.link.all_receivers_left());
        if (source->terms().stream)
            observe_end(flow);
        if (parts_.features.in_place)
            note(peers.slot_holder, flow.link.receiver_left(source->posted().count));
    }
}

void PeerFacts::observe_end(Flow &flow) { note(flow.ledger->peers.receiver_at_end, flow.link.receiver_at_end()); }

void PeerFacts::observe_ends() {
    if (parts_.ledgers.source->terms().stream)
        for (Flow &flow : parts_.flows)
            observe_end(flow);
}

bool PeerFacts::runs(int peer) const { return !parts_.transport->presence().has_ended(peer); }

void PeerFacts::observe_readers() {
    const flow::SourceFrames frames = parts_.ledgers.source->inserted();
    const auto runs = [&](int peer) { return this->runs(peer); };
    for (Flow &flow : parts_.flows) {
        const auto first = flow.link.pullers().lagging(frames.count);
        flow.ledger->peers.reader =
            !first || runs(*first) ? first : flow.link.pullers().lagging(frames.count, runs);
    }
}

// For data first, then for free slots, a verdict and a free buffer.
flow::Refused PeerFacts::missing(const flow::CallEndpoints &endpoints, const Among &among) const {
    using flow::Reason;
    for (const Flow &flow : parts_.flows) {
        if (!flow::needs(parts_.ledgers, endpoints, *flow.ledger))
            continue;
        const flow::SinkLedger &sink = *flow.ledger->sink;
        const int64_t number = flow.ledger->number_of(sink.arrived());
        if (const auto peer = flow.link.pulls().pending(sink.whole().count, among))
            return flow::Refusal{.reason = Reason::data_late, .peer = *peer, .frame = number};
        if (const auto peer = flow.link.pending_sender(among))
            return flow::Refusal{.reason = Reason::message_late, .peer = *peer, .frame = number};
    }
    if (!endpoints.source)
        return std::nullopt;
    const flow::SourceLedger &source = *parts_.ledgers.source;
    const int64_t frame = source.posted().count;
    for (const Flow &flow : parts_.flows)
        if (const auto blocking = source.has_to_post() ? flow.link.blocking_receiver(among) : std::nullopt)
            return flow::Refusal{.reason = Reason::slots_late,
                                 .peer = blocking->peer,
                                 .frame = frame,
                                 .peer_frame = frame - blocking->frames_before * flow.pattern().stride()};
    for (const Flow &flow : parts_.flows)
        if (flow.ledger->drop.awaits_verdict() && among(flow.drop.first()))
            return flow::Refusal{.reason = Reason::verdict_late, .peer = flow.drop.first(), .frame = frame};
    for (const Flow &flow : parts_.flows)
        if (const auto peer = flow.link.pullers().lagging(source.frames_before_next_buffer().count, among))
            return flow::Refusal{.reason = Reason::buffer_late,
                                 .peer = *peer,
                                 .peer_frame = source.frames_before_next_buffer().count - 1};
    return std::nullopt;
}

// A process that has ended reads no more.
flow::Refused PeerFacts::missing_reader(const Among &among) const {
    const flow::SourceFrames frames = parts_.ledgers.source->inserted();
    const auto reads = [&](int peer) { return among(peer) && runs(peer); };
    for (const Flow &flow : parts_.flows)
        if (const auto peer = flow.link.pullers().lagging(frames.count, reads))
            return flow::Refusal{.reason = flow::Reason::readers_late, .peer = *peer, .count = frames.count};
    return std::nullopt;
}

} // namespace dri::exec
