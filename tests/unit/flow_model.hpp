// What a job is made of, and what its processes can see of each other.
#pragma once

#include "flow_state.hpp"

#include "flow/dropping.hpp"
#include "flow/waiting.hpp"

#include <algorithm>
#include <optional>

namespace dri::flow::test {

inline bool has(const std::vector<int> &group, int process) {
    return std::find(group.begin(), group.end(), process) != group.end();
}

class Model {
public:
    explicit Model(const Job &job) : job_(job) {
        for (size_t s = 0; s < job.sources.size(); ++s)
            source_of_[at(job.sources[s])] = s;
    }

    const Job &job() const { return job_; }
    int first() const { return job_.sources.front(); }
    // The number of a process among the sources.
    std::optional<size_t> source_of(int p) const { return source_of_[at(p)]; }
    bool takes(size_t side, int sink, int source) const {
        return sink == source ? job_.sinks[side].takes_own : sink > source || !job_.sinks[side].one_way;
    }
    // By a message or a pull.
    bool takes_data(size_t side, int sink, int source) const {
        return takes(side, sink, source) && (sink != source || by_message(side, sink, source));
    }
    // By messages even inside the process, if the sink drops frames.
    bool by_message(size_t side, int sink, int source) const {
        return job_.sinks[side].drops || (job_.way == Way::message && sink != source);
    }
    int64_t slots(size_t side) const { return job_.sinks[side].drops ? frames_under_way : job_.staging; }

    // The transfer exchanges messages at all, so frames of the source are posted one by one.
    bool has_messages(int p) const {
        if (source_of(p) && sends_messages(p))
            return true;
        for (size_t k = 0; k < job_.sinks.size(); ++k)
            if (has(job_.sinks[k].group, p))
                for (const int s : job_.sources)
                    if (job_.stream || (takes(k, p, s) && by_message(k, p, s)))
                        return true;
        return false;
    }

    State first_state() const {
        State state;
        for (int p = 0; p < job_.processes(); ++p) {
            Process process;
            std::optional<SourceLedger> source;
            int64_t message_frames = INT64_MAX;
            std::vector<FlowLedger> flows;
            for (size_t k = 0; k < job_.sinks.size(); ++k) {
                const SinkSide &side = job_.sinks[k];
                FlowLedger flow{.terms = flow_terms(k, p), .sink = std::nullopt, .drop = DropLedger(p == first())};
                for (const int q : side.group)
                    if (!side.drops && q != p && takes(k, q, p) && by_message(k, q, p))
                        message_frames = std::min(message_frames, job_.staging * side.every);
                if (has(side.group, p))
                    flow.sink = SinkLedger(
                        {.buffers = side.buffers * side.strips,
                         .strips = side.strips,
                         .fills_ahead = !side.users && !job_.in_place,
                         .fills_all = !side.users && !job_.in_place && (side.strips > 1 || job_.strips > 1)});
                flows.push_back(flow);
            }
            if (source_of(p))
                source = SourceLedger({.buffers = job_.buffers,
                                       .message_frames = message_frames,
                                       .stream = job_.stream,
                                       .in_place = job_.in_place});
            process.ledgers = Ledgers(source, std::move(flows), p, job_.in_place);
            if (job_.tamper)
                job_.tamper(process.ledgers);
            process.content.fill(garbage);
            process.content[0] = 0; // the caller holds the first buffer and fills it
            for (auto &buffer : process.shared)
                buffer.fill(garbage);
            process.shared[0].fill(0);
            for (Store &store : process.stores)
                for (auto &array : store.content)
                    for (auto &part : array)
                        part.fill(garbage);
            state.processes.push_back(process);
        }
        for (auto &numbers : state.kept)
            numbers.fill(garbage);
        return state;
    }

    // Array `array` of a sink begins with this frame of the source.
    int64_t first_frame(size_t side, int64_t array) const {
        return job_.strips > 1 ? array * job_.strips : array * job_.sinks[side].every + job_.sinks[side].phase;
    }
    // Frames of the source that it need not keep for a sink: those before the next one, or strip, that the sink
    // takes.
    SourceFrames taken(const State &state, size_t k, int q, size_t s) const {
        const FlowLedger &flow = state.processes[at(q)].ledgers.flows[k];
        return {first_frame(k, flow.sink->whole().count) +
                (flow.sink->moving() ? state.processes[at(q)].stores[k].got[s] * job_.sinks[k].every : 0)};
    }
    // A sink that has left, or has reached the end of the stream.
    std::optional<Departed> departed_sink(const State &state, size_t k, int q) const {
        const FlowLedger &flow = state.processes[at(q)].ledgers.flows[k];
        if (state.processes[at(q)].stores[k].at_end)
            return Departed{q, flow.frames_at_end(), true};
        if (flow.sink->left())
            return Departed{q, counted(k, flow.sink->next_array().count), false};
        return std::nullopt;
    }
    // Writes down which processes have left, as far as the engine looks for it in a call of these endpoints. The
    // engine does so before a call and in pauses of a wait.
    void observe(State &state, int p, const CallEndpoints &endpoints) const {
        Ledgers &l = state.processes[at(p)].ledgers;
        for (size_t k = 0; k < l.flows.size(); ++k) {
            FlowLedger &flow = l.flows[k];
            flow.peers.sender_left.reset();
            if (flow.sink && !flow.sink->left() && needs(l, endpoints, flow))
                observe_senders(state, p, k);
            if (!l.source || l.source->left())
                continue;
            if (endpoints.source)
                observe_receivers(state, p, k);
            observe_end(state, p, k);
            if (job_.in_place)
                observe_slots(state, p, k);
        }
    }
    // Writes down what the engine reads anew at every look.
    void look(State &state, int p) const {
        Process &process = state.processes[at(p)];
        Ledgers &l = process.ledgers;
        for (size_t k = 0; k < l.flows.size(); ++k) {
            FlowLedger &flow = l.flows[k];
            flow.peers.has_to_send = process.to_send[k] || process.header_to_send[k];
            flow.peers.lagging_puller.reset();
            flow.peers.reader.reset();
            if (!l.source || l.source->left())
                continue;
            for (const int q : job_.sinks[k].group) {
                if (!takes_data(k, q, p) || by_message(k, q, p) || departed_sink(state, k, q))
                    continue;
                const SourceFrames has = taken(state, k, q, *source_of(p));
                if (has < l.source->frames_before_next_buffer())
                    flow.peers.lagging_puller = q;
                if (job_.is_read && has < l.source->inserted())
                    flow.peers.reader = q;
            }
        }
    }
    // Whether a sink of the source's stream has reached its end.
    void observe_end(State &state, int p, size_t k) const {
        auto &peers = state.processes[at(p)].ledgers.flows[k].peers;
        peers.receiver_at_end.reset();
        for (const int q : job_.sinks[k].group)
            if (takes_data(k, q, p))
                if (const auto left = departed_sink(state, k, q); left && left->ended)
                    peers.receiver_at_end = left;
    }

private:
    const Job &job_;
    std::array<std::optional<size_t>, max_processes> source_of_{};

    // The frames of the source up to the last one of so many arrays; with drops, which nobody knows, the arrays.
    SourceFrames counted(size_t side, int64_t arrays) const {
        if (job_.sinks[side].drops || arrays == 0)
            return {arrays};
        return {first_frame(side, arrays - 1) + job_.strips};
    }

    FlowTerms flow_terms(size_t side, int p) const {
        const SinkSide &sink = job_.sinks[side];
        const bool in_sink = has(sink.group, p), in_source = source_of(p).has_value();
        FlowTerms terms;
        terms.pattern =
            job_.strips > 1 ? SourcePattern::strips(job_.strips) : SourcePattern::every(sink.every, sink.phase);
        terms.first_source = job_.stream ? first() : -1;
        terms.drops = sink.drops;
        terms.has_own_part = in_source && in_sink && (sink.takes_own || (job_.stream && p == first()));
        terms.copies_own_part = in_source && in_sink && sink.takes_own && !by_message(side, p, p) &&
                                (!job_.in_place || job_.way == Way::direct);
        for (const int q : sink.group)
            terms.has_outflow = terms.has_outflow ||
                                (in_source && takes(side, q, p) && (q != p || by_message(side, q, p))) ||
                                (in_source && job_.stream && p == first());
        for (const int s : job_.sources)
            terms.has_inflow = terms.has_inflow ||
                               (in_sink && takes(side, p, s) && (s != p || by_message(side, p, s))) ||
                               (in_sink && job_.stream);
        return terms;
    }

    bool sends_messages(int p) const {
        for (size_t k = 0; k < job_.sinks.size(); ++k) {
            if (job_.stream && p == first())
                return true;
            for (const int q : job_.sinks[k].group)
                if (takes(k, q, p) && by_message(k, q, p))
                    return true;
        }
        return false;
    }
    // The source of process s has left, or has closed the stream, before this frame of a sink.
    std::optional<Departed> lost_source(const State &state, size_t k, int sink, int s, FlowFrames frame) const {
        const SourceLedger &source = *state.processes[at(s)].ledgers.source;
        const bool message = by_message(k, sink, s);
        const bool reported = message ? source.left() || (source.closed() && source.has_posted_close())
                                      : source.left() || source.closed();
        if (!reported)
            return std::nullopt;
        const FlowLedger &flow = state.processes[at(s)].ledgers.flows[k];
        const bool ended =
            state.processes[at(s)].through || (source.closed() && (!message || source.has_posted_close()));
        SourceFrames frames = message ? source.posted_frames() : source.inserted();
        if (job_.sinks[k].drops)
            frames = {flow.drop.kept().count};
        if (frames >= counted(k, frame.count + 1))
            return std::nullopt;
        return Departed{s, frames, ended};
    }

    void observe_senders(State &state, int p, size_t k) const {
        FlowLedger &flow = state.processes[at(p)].ledgers.flows[k];
        for (const int s : job_.sources) {
            if (!takes(k, p, s) || (s == p && !by_message(k, p, s)))
                continue;
            const auto left = lost_source(state, k, p, s, flow.sink->whole());
            if (left && (!flow.peers.sender_left || !left->ended))
                flow.peers.sender_left = left;
        }
        const Process &from = state.processes[at(first())];
        if (job_.stream && from.ledgers.source->left() && !from.ledgers.source->has_posted_close() &&
            state.headers[k][at(p)].empty() && !state.processes[at(p)].stores[k].header)
            flow.peers.sender_left = Departed{first(), {flow.sink->whole().count}, false};
    }
    void observe_receivers(State &state, int p, size_t k) const {
        FlowLedger &flow = state.processes[at(p)].ledgers.flows[k];
        const bool headers = job_.stream && p == first();
        std::optional<Departed> last;
        bool all = true;
        flow.peers.receivers_left.reset();
        for (const int q : job_.sinks[k].group) {
            const bool data = takes_data(k, q, p);
            const auto left = departed_sink(state, k, q);
            if (headers || data) {
                const bool gone =
                    headers ? state.processes[at(q)].ledgers.flows[k].sink->left() : left.has_value();
                all = all && gone;
                if (gone && left && (!last || left->frames > last->frames))
                    last = left;
            }
        }
        if (all)
            flow.peers.receivers_left = last;
    }
    // In place, messages to a process that has left never leave their slots.
    void observe_slots(State &state, int p, size_t k) const {
        const Ledgers &l = state.processes[at(p)].ledgers;
        auto &holder = state.processes[at(p)].ledgers.flows[k].peers.slot_holder;
        holder.reset();
        for (const int q : job_.sinks[k].group)
            if (const auto left = q != p && takes(k, q, p) ? departed_sink(state, k, q) : std::nullopt;
                left && left->frames <= l.source->posted())
                holder = left;
    }
};

} // namespace dri::flow::test
