// Looks at the content of the buffers and counts the calls. It does not use what the ledgers allow.
#pragma once

#include "flow_movement.hpp"

namespace dri::flow::test {

class Oracle {
public:
    Oracle(const Model &model, Walk &walk) : model_(model), job_(model.job()), walk_(walk) {}

    // The caller extracts a frame: the buffer holds the next frame, of every source, and nothing else.
    void extract(State &state, int p, size_t k) const {
        Process &process = state.processes[at(p)];
        Store &store = process.stores[k];
        const SinkSide &side = job_.sinks[k];
        const int64_t frame = store.extracted, array = frame / side.strips;
        int64_t number = -1;
        for (size_t s = 0; s < job_.sources.size(); ++s)
            for (int64_t strip = 0; strip < job_.strips && model_.takes(k, p, job_.sources[s]); ++strip) {
                const int8_t found = job_.in_place ? content_in_place(process, p, s, frame)
                                                   : store.content[at(array % side.buffers)][s][at(strip)];
                const int64_t expected =
                    side.drops ? state.kept[k][at(array)] : model_.first_frame(k, array) + strip;
                if (found != expected)
                    throw Fault{fmt::format("sink {} of process {}: frame {} holds frame {} of source {}, not {}",
                                            k, p, frame, found, s, expected)};
                number = found;
            }
        if (number >= 0 && job_.strips == 1 && number % side.every != side.phase)
            throw Fault{fmt::format("sink {} of process {}: frame {} is not its own", k, p, number)};
        if (side.drops && number <= store.last_number)
            throw Fault{
                fmt::format("sink {} of process {}: frame {} comes after {}", k, p, number, store.last_number)};
        store.last_number = static_cast<int8_t>(number);
        ++store.extracted;
        store.in_use = false;
        if (job_.in_place) // the caller may change the buffer at once
            process.content[at(frame % job_.buffers)] = garbage;
    }

    // The caller acquires the source's buffer for a frame, and fills it at once.
    void acquire(Process &process, int64_t frame) const {
        process.content[at(frame % job_.buffers)] = static_cast<int8_t>(frame);
        if (!job_.in_place)
            return;
        const Store &store = process.stores[0];
        for (int64_t held = store.released; held < store.extracted && job_.buffers > 1; ++held)
            if (held % job_.buffers == frame % job_.buffers)
                throw Fault{fmt::format("the caller fills frame {} where it holds frame {}", frame, held)};
        process.shared[at(frame % job_.buffers)].fill(static_cast<int8_t>(frame));
    }

    // The numbers of a refusal are true: a stream has ended after the last frame, and a process that has left has
    // not handed over the frame that is missing.
    void check_refusal(const State &state, int p, const Refusal &refusal) const {
        walk_.refusals.insert(refusal.reason);
        const SourceLedger &first = *state.processes[at(model_.first())].ledgers.source;
        if (refusal.reason == Reason::end_of_stream &&
            !(first.closed() && refusal.frame == first.inserted().count))
            throw Fault{fmt::format("process {} finds the end after {} frames", p, refusal.frame)};
        if (refusal.reason != Reason::source_gone)
            return;
        const Process &peer = state.processes[at(refusal.peer)];
        bool missing = peer.broken;
        for (size_t k = 0; k < job_.sinks.size(); ++k) {
            const int64_t handed = job_.sinks[k].drops ? peer.ledgers.flows[k].drop.kept().count
                                                       : peer.ledgers.source->inserted().count;
            const SinkSide &side = job_.sinks[k];
            const int64_t array =
                refusal.frame / side.strips; // of the source if it is not known by the sink's own
            missing = missing || (has(side.group, p) && handed < (array + 1) * job_.strips);
        }
        if (!missing)
            throw Fault{fmt::format("process {} loses frame {}, which process {} handed over before it left", p,
                                    refusal.frame, refusal.peer)};
    }

    // How far sources are ahead, after docs/flow_control.md.
    void check(const State &state) const {
        for (const int p : job_.sources)
            for (size_t k = 0; k < job_.sinks.size() && !state.processes[at(p)].broken; ++k)
                for (const int q : job_.sinks[k].group)
                    if (!job_.sinks[k].drops)
                        check_ahead(state, p, k, q);
    }

private:
    const Model &model_;
    const Job &job_;
    Walk &walk_;

    // The process's own data stay where they are.
    int8_t content_in_place(const Process &process, int p, size_t s, int64_t frame) const {
        const int8_t found = process.shared[at(frame % job_.buffers)][at(job_.sources[s])];
        return job_.sources[s] == p ? found : static_cast<int8_t>(found - in_mark);
    }

    void check_ahead(const State &state, int p, size_t k, int q) const {
        const SourceLedger &source = *state.processes[at(p)].ledgers.source;
        const SinkSide &side = job_.sinks[k];
        const int64_t n = job_.buffers;
        const Process &other = state.processes[at(q)];
        if (other.ledgers.flows[k].sink->left() || other.broken || other.stores[k].at_end ||
            !model_.takes(k, q, p))
            return;
        const size_t s = *model_.source_of(p);
        const int64_t has = model_.taken(state, k, q, s).count +
                            (model_.by_message(k, q, p) ? state.messages[s][k][at(q)].size * side.every : 0);
        // The frame that is acquired needs a buffer: n - 1 others are not taken.
        if (source.acquired().count - 1 - has > n - 1)
            throw Fault{
                fmt::format("source {} is {} frames ahead of sink {}", p, source.acquired().count - 1 - has, q)};
        if (q != p || job_.strips > 1 || side.strips > 1 || side.every > 1)
            return;
        const int64_t in_call = other.stores[k].in_use ? 1 : 0;
        const int64_t ahead = source.acquired().count - 1 - other.stores[k].extracted - in_call;
        walk_.max_ahead = std::max(walk_.max_ahead, ahead);
        if (ahead > (side.users || job_.in_place ? n - 1 : n + side.buffers - 2))
            throw Fault{fmt::format("source {} is {} frames ahead of its own sink", p, ahead)};
    }
};

} // namespace dri::flow::test
