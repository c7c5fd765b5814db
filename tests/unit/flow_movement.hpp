// Moves frames between the processes of a job, by the same steps as the engine.
#pragma once

#include "flow_model.hpp"

namespace dri::flow::test {

class Movement {
public:
    explicit Movement(const Model &model) : model_(model), job_(model.job()) {}

    // Moves the frames of process p as far as they go. Returns whether anything has moved.
    bool move(State &state, int p) const {
        bool any = false;
        if (state.processes[at(p)].broken)
            return false;
        for (bool moved = true; moved; any = any || moved) {
            moved = false;
            for (size_t k = 0; k < job_.sinks.size(); ++k)
                moved = begin_sink(state, p, k) || moved;
            moved = begin_source(state, p) || moved;
            for (size_t k = 0; k < job_.sinks.size(); ++k) {
                moved = take_header(state, p, k) || moved;
                moved = decide_next(state, p, k) || moved;
                moved = send(state, p, k) || moved;
                moved = receive(state, p, k) || moved;
            }
            moved = finish(state, p) || moved;
        }
        return any;
    }

private:
    const Model &model_;
    const Job &job_;

    bool begin_sink(State &state, int p, size_t k) const {
        auto &sink = state.processes[at(p)].ledgers.flows[k].sink;
        if (!sink || sink->left() || sink->moving() || sink->whole() >= sink->reach())
            return false;
        if (job_.in_place && !state.processes[at(p)].ledgers.source->has_begun(sink->whole()))
            return false;
        sink->begin_frame();
        Store &store = state.processes[at(p)].stores[k];
        store.got.fill(0);
        store.header = false;
        return true;
    }

    // Any frame of strips is part of an array.
    bool takes_frame(size_t k, int64_t frame) const { return frame % job_.sinks[k].every == job_.sinks[k].phase; }

    bool begin_source(State &state, int p) const {
        Process &process = state.processes[at(p)];
        auto &source = process.ledgers.source;
        if (!source || source->left() || source->posting() || !source->has_to_post())
            return false;
        if (!model_.has_messages(p)) {
            source->post_all();
            return true;
        }
        const bool closes = source->next_is_close();
        for (size_t k = 0; k < job_.sinks.size(); ++k) {
            if (!closes && !takes_frame(k, source->posted().count))
                continue;
            if (job_.sinks[k].drops)
                process.ledgers.flows[k].drop.begin(closes);
            else
                begin_flow(process, p, k, closes);
        }
        source->begin_post();
        return true;
    }
    void begin_flow(Process &process, int p, size_t k, bool closes) const {
        process.header_to_send[k] = job_.stream && p == model_.first();
        process.to_send[k] = 0;
        for (const int q : job_.sinks[k].group)
            if (!closes && model_.takes(k, q, p) && model_.by_message(k, q, p))
                process.to_send[k] = static_cast<uint8_t>(process.to_send[k] | 1 << q);
    }

    bool decide_next(State &state, int p, size_t k) const {
        Process &process = state.processes[at(p)];
        DropLedger &drop = process.ledgers.flows[k].drop;
        if (!job_.sinks[k].drops || !drop.undecided())
            return false;
        const int64_t number = model_.first_frame(k, drop.decided().count);
        if (drop.closing()) {
            drop.send_close();
            begin_flow(process, p, k, true);
            return true;
        }
        DropVerdict decision = DropVerdict::keep;
        if (p == model_.first()) {
            for (const int q : job_.sinks[k].group)
                if (decide(drop.kept(), {state.credits[k][at(q)]},
                           state.processes[at(q)].ledgers.flows[k].sink->left()) == DropVerdict::drop)
                    decision = DropVerdict::drop;
            const auto hears = [&](size_t s) {
                return !state.processes[at(job_.sources[s])].ledgers.source->left();
            };
            for (size_t s = 1; s < job_.sources.size(); ++s)
                if (hears(s) && state.verdicts[k][s].size > job_.buffers)
                    return false; // no slot
            for (size_t s = 1; s < job_.sources.size(); ++s)
                if (hears(s))
                    state.verdicts[k][s].push(decision == DropVerdict::keep);
            if (decision == DropVerdict::keep && drop.kept().count < 8)
                state.kept[k][at(drop.kept().count)] = static_cast<int8_t>(number);
        } else {
            Queue &verdicts = state.verdicts[k][*model_.source_of(p)];
            const SourceLedger &decider = *state.processes[at(model_.first())].ledgers.source;
            if (!verdicts.empty())
                decision = verdicts.pop() ? DropVerdict::keep : DropVerdict::drop;
            else if (decider.has_posted_close()) {
                drop.drop_after_close({model_.first(), decider.inserted(), true});
                return true;
            } else if (decider.left())
                decision = DropVerdict::drop;
            else
                return false;
        }
        if (decision == DropVerdict::drop) {
            drop.drop();
            return true;
        }
        drop.keep();
        begin_flow(process, p, k, false);
        return true;
    }

    bool send(State &state, int p, size_t k) const {
        Process &process = state.processes[at(p)];
        if (!process.ledgers.source || !process.ledgers.source->posting())
            return false;
        const SourceLedger &source = *process.ledgers.source;
        const int64_t number = source.posted().count;
        const bool closes = source.next_is_close();
        bool any = false;
        if (process.header_to_send[k]) {
            const int64_t depth = job_.sinks[k].drops ? frames_under_way : job_.buffers;
            bool fits = true;
            for (const int q : job_.sinks[k].group)
                fits = fits && (closes || state.headers[k][at(q)].size < depth ||
                                state.processes[at(q)].ledgers.flows[k].sink->left());
            if (fits) {
                process.header_to_send[k] = false;
                any = true;
                for (const int q : job_.sinks[k].group)
                    if (!state.processes[at(q)].ledgers.flows[k].sink->left())
                        state.headers[k][at(q)].push(static_cast<int8_t>(number + (closes ? close_mark : 0)));
            }
        }
        for (const int q : job_.sinks[k].group) {
            const auto bit = static_cast<uint8_t>(1 << q);
            if (!(process.to_send[k] & bit))
                continue;
            const bool gone = model_.departed_sink(state, k, q).has_value();
            Queue &queue = state.messages[*model_.source_of(p)][k][at(q)];
            if ((job_.in_place && gone) || (!gone && queue.size >= model_.slots(k)))
                continue;
            if (!gone)
                queue.push(job_.in_place ? process.shared[at(number % job_.buffers)][at(q)]
                                         : process.content[at(number % job_.buffers)]);
            process.to_send[k] = static_cast<uint8_t>(process.to_send[k] & ~bit);
            any = true;
        }
        return any;
    }

    bool take_header(State &state, int p, size_t k) const {
        Process &process = state.processes[at(p)];
        auto &sink = process.ledgers.flows[k].sink;
        if (!job_.stream || !sink || !sink->moving() || process.stores[k].header ||
            state.headers[k][at(p)].empty())
            return false;
        const int8_t header = state.headers[k][at(p)].pop();
        const bool closes = header >= close_mark;
        process.stores[k].header = true;
        process.stores[k].at_end = closes;
        process.ledgers.flows[k].take_header({header - (closes ? close_mark : 0)}, closes);
        return true;
    }

    // Copies, pulls and unpacks.
    bool receive(State &state, int p, size_t k) const {
        Process &process = state.processes[at(p)];
        auto &sink = process.ledgers.flows[k].sink;
        Store &store = process.stores[k];
        if (!sink || !sink->moving() || store.at_end)
            return false;
        bool any = false;
        for (size_t s = 0; s < job_.sources.size(); ++s) {
            const int from = job_.sources[s];
            if (!model_.takes(k, p, from) || store.got[s] == job_.strips)
                continue;
            const int64_t frame = model_.first_frame(k, sink->whole().count) + store.got[s];
            int8_t number = 0;
            if (job_.in_place) {
                const bool message = model_.by_message(k, p, from);
                if (from != p &&
                    !(message ? unpack_in_place(state, p, s, frame) : pull_in_place(state, p, s, frame)))
                    continue;
                ++store.got[s];
                any = true;
                continue;
            }
            if (model_.by_message(k, p, from)) {
                Queue &queue = state.messages[s][k][at(p)];
                if (queue.empty())
                    continue;
                number = queue.pop();
            } else {
                const Process &source = state.processes[at(from)];
                if (source.ledgers.source->inserted().count <= frame ||
                    (from == p && source.ledgers.source->left()))
                    continue;
                number = source.content[at(frame % job_.buffers)];
            }
            write(store, *sink, k, s, number);
            ++store.got[s];
            if (from == p)
                sink->copy_strips(job_.strips > 1 ? store.got[s] : 0);
            any = true;
        }
        return any;
    }

    // A message is written over data of the same frame that have left.
    bool unpack_in_place(State &state, int p, size_t s, int64_t frame) const {
        Process &process = state.processes[at(p)];
        const SourceLedger &source = *process.ledgers.source;
        Queue &queue = state.messages[s][0][at(p)];
        const bool packed = source.posted().count > frame || !(process.to_send[0] & 1 << job_.sources[s]);
        if (queue.empty() || !packed)
            return false;
        int8_t &place = process.shared[at(frame % job_.buffers)][at(job_.sources[s])];
        if (source.inserted().count <= frame || place != frame)
            throw Fault{fmt::format("frame {} overwrites data of frame {}", frame, place)};
        place = static_cast<int8_t>(in_mark + queue.pop());
        return true;
    }

    // What a process owns is read where it lies, and nothing arrives there.
    bool pull_in_place(State &state, int p, size_t s, int64_t frame) const {
        Process &process = state.processes[at(p)];
        const Process &source = state.processes[at(job_.sources[s])];
        if (source.ledgers.source->inserted().count <= frame)
            return false;
        process.shared[at(frame % job_.buffers)][at(job_.sources[s])] =
            static_cast<int8_t>(in_mark + source.content[at(frame % job_.buffers)]);
        return true;
    }

    // The caller must not hold the buffer. A buffer of the user's own is written inside a call only.
    void write(Store &store, const SinkLedger &sink, size_t k, size_t s, int8_t number) const {
        const SinkSide &side = job_.sinks[k];
        const int64_t array = sink.whole().count, slot = array % side.buffers;
        for (int64_t held = store.released; held < store.extracted; ++held)
            if (held / side.strips % side.buffers == slot)
                throw Fault{fmt::format("frame {} overwrites frame {}, which the caller holds", array, held)};
        if (store.released < (array - side.buffers + 1) * side.strips)
            throw Fault{fmt::format("array {} overwrites one that is not extracted", array)};
        if (side.users && !store.in_use)
            throw Fault{fmt::format("frame {} is written to a buffer of the user outside a call", array)};
        store.content[at(slot)][s][at(store.got[s])] = number;
    }

    bool finish(State &state, int p) const {
        Process &process = state.processes[at(p)];
        bool any = false;
        for (size_t k = 0; k < job_.sinks.size(); ++k) {
            auto &sink = process.ledgers.flows[k].sink;
            Store &store = process.stores[k];
            if (!sink || !sink->moving() || store.at_end || (job_.stream && !store.header))
                continue;
            bool whole = true;
            for (size_t s = 0; s < job_.sources.size(); ++s)
                whole = whole && (!model_.takes(k, p, job_.sources[s]) || store.got[s] == job_.strips);
            if (!whole)
                continue;
            sink->finish_frame();
            ++state.credits[k][at(p)];
            store.got.fill(0);
            store.header = false;
            any = true;
        }
        auto &source = process.ledgers.source;
        if (!source || !source->posting())
            return any;
        for (size_t k = 0; k < job_.sinks.size(); ++k)
            if (process.to_send[k] || process.header_to_send[k] || process.ledgers.flows[k].drop.undecided())
                return any;
        source->finish_post();
        return true;
    }
};

} // namespace dri::flow::test
