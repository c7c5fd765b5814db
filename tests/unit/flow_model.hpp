// What a job is made of, and what its processes can see of each other.
#pragma once

#include "flow_state.hpp"

#include "flow/dropping.hpp"

#include <algorithm>
#include <optional>

namespace dri::flow::test {

inline bool has(const std::vector<int> &group, int process) {
    return std::find(group.begin(), group.end(), process) != group.end();
}

class Model {
public:
    explicit Model(const Job &job) : job_(job) {}

    const Job &job() const { return job_; }
    int first() const { return job_.sources.front(); }
    // The number of a process among the sources.
    std::optional<size_t> source_of(int p) const {
        const auto found = std::find(job_.sources.begin(), job_.sources.end(), p);
        if (found == job_.sources.end())
            return std::nullopt;
        return static_cast<size_t>(found - job_.sources.begin());
    }
    bool takes(size_t side, int sink, int source) const { return sink != source || job_.sinks[side].takes_own; }
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
            bool limits = false;
            std::vector<FlowLedger> flows;
            for (size_t k = 0; k < job_.sinks.size(); ++k) {
                const SinkSide &side = job_.sinks[k];
                FlowLedger flow{.terms = flow_terms(k, p), .sink = std::nullopt, .drop = DropLedger(p == first())};
                for (const int q : side.group)
                    limits = limits || (!side.drops && q != p && takes(k, q, p) && by_message(k, q, p));
                if (has(side.group, p))
                    flow.sink = SinkLedger({.buffers = side.buffers * side.strips,
                                            .strips = side.strips,
                                            .fills_ahead = !side.users,
                                            .fills_all = !side.users && (side.strips > 1 || job_.strips > 1)});
                flows.push_back(flow);
            }
            if (source_of(p))
                source = SourceLedger({.buffers = job_.buffers,
                                       .message_frames = limits ? job_.staging : INT64_MAX,
                                       .stream = job_.stream});
            process.ledgers = Ledgers(source, std::move(flows), p, false);
            if (job_.tamper)
                job_.tamper(process.ledgers);
            process.content.fill(garbage);
            process.content[0] = 0; // the caller holds the first buffer and fills it
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

    // Frames of the source that a sink has taken from it: those in its buffers, and the strips of the moving one.
    SourceFrames taken(const State &state, size_t k, int q, size_t s) const {
        const FlowLedger &flow = state.processes[at(q)].ledgers.flows[k];
        return flow.strips().of_source(flow.sink->whole()) +
               (flow.sink->moving() ? state.processes[at(q)].stores[k].got[s] : 0);
    }
    // A sink that has left, or has reached the end of the stream.
    std::optional<Departed> departed_sink(const State &state, size_t k, int q) const {
        const FlowLedger &flow = state.processes[at(q)].ledgers.flows[k];
        if (state.processes[at(q)].stores[k].at_end)
            return Departed{q, flow.strips().of_source(flow.sink->whole()), true};
        if (flow.sink->left())
            return Departed{q, flow.strips().of_source(flow.sink->next_array()), false};
        return std::nullopt;
    }
    // Writes down what process p can know now.
    void observe(State &state, int p) const {
        Ledgers &l = state.processes[at(p)].ledgers;
        for (size_t k = 0; k < l.flows.size(); ++k) {
            FlowLedger &flow = l.flows[k];
            flow.peers = {};
            flow.peers.has_to_send = state.processes[at(p)].to_send[k] || state.processes[at(p)].header_to_send[k];
            if (flow.sink && !flow.sink->left())
                observe_senders(state, p, k);
            if (l.source && !l.source->left())
                observe_receivers(state, p, k);
        }
    }

private:
    const Job &job_;

    FlowTerms flow_terms(size_t side, int p) const {
        const SinkSide &sink = job_.sinks[side];
        const bool in_sink = has(sink.group, p), in_source = source_of(p).has_value();
        FlowTerms terms;
        terms.source_strips = job_.strips;
        terms.first_source = job_.stream ? first() : -1;
        terms.drops = sink.drops;
        terms.has_own_part = in_source && in_sink && (sink.takes_own || (job_.stream && p == first()));
        terms.copies_own_part = in_source && in_sink && sink.takes_own && !by_message(side, p, p);
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
        const bool ended = source.closed() && (!message || source.has_posted_close());
        SourceFrames frames = message ? source.posted_frames() : source.inserted();
        if (job_.sinks[k].drops)
            frames = {flow.drop.kept().count};
        const SideStrips strips{job_.strips, 1};
        if (frames >= strips.of_source(frame + 1))
            return std::nullopt;
        return Departed{s, frames, ended};
    }

    void observe_senders(State &state, int p, size_t k) const {
        FlowLedger &flow = state.processes[at(p)].ledgers.flows[k];
        const bool exists = flow.sink->header_arrived();
        for (const int s : job_.sources) {
            if (!takes(k, p, s) || (s == p && !by_message(k, p, s)))
                continue;
            const auto left = lost_source(state, k, p, s, flow.sink->whole());
            if (left && (exists || !left->ended))
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
        for (const int q : job_.sinks[k].group) {
            const bool data = takes(k, q, p) && (q != p || by_message(k, q, p));
            const auto left = departed_sink(state, k, q);
            if (headers || data) {
                const bool gone =
                    headers ? state.processes[at(q)].ledgers.flows[k].sink->left() : left.has_value();
                all = all && gone;
                if (gone && left && (!last || left->frames > last->frames))
                    last = left;
            }
            if (data && left && left->ended)
                flow.peers.receiver_at_end = left;
            if (data && !by_message(k, q, p) && !left &&
                taken(state, k, q, *source_of(p)) <
                    state.processes[at(p)].ledgers.source->frames_before_next_buffer())
                flow.peers.lagging_puller = q;
        }
        if (all)
            flow.peers.receivers_left = last;
    }
};

} // namespace dri::flow::test
