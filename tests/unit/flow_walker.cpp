// Visits all states of a job: each process does every call that is admitted. The oracle looks at the content of
// the buffers, and counts the calls.
#include "flow_movement.hpp"

#include "flow/waiting.hpp"

#include <algorithm>
#include <deque>
#include <unordered_set>

namespace dri::flow::test {

namespace {

class Walker {
public:
    Walker(const Job &job, const Accepts &accepts) : job_(job), accepts_(accepts) {}

    Walk run() {
        try {
            add(model_.first_state());
            while (!open_.empty()) {
                const State state = std::move(open_.front());
                open_.pop_front();
                visit(state);
            }
        } catch (const Fault &fault) {
            walk_.fault = fault.text;
        }
        return walk_;
    }

private:
    const Job &job_;
    const Accepts &accepts_;
    Model model_{job_};
    Movement movement_{model_};
    Walk walk_;
    std::deque<State> open_;
    std::unordered_set<std::string> seen_;

    void add(const State &state) {
        if (seen_.insert(key_of(state)).second)
            open_.push_back(state);
    }

    void visit(const State &state) {
        ++walk_.states;
        check(state);
        bool all_wait = true, any_waits = false, goes_on = false;
        for (int p = 0; p < job_.processes(); ++p) {
            const Process &process = state.processes[at(p)];
            const bool left = has_left(process);
            any_waits = any_waits || process.waits;
            all_wait = all_wait && (left || process.waits);
            if (left || process.waits || job_.calls.progress) {
                State next = state;
                const bool moved = movement_.move(next, p);
                goes_on = (process.waits && wake(next, p)) || moved || goes_on;
                if (goes_on)
                    add(next);
            }
            if (!left && !process.waits)
                call(state, p);
        }
        if (!any_waits && all_wait)
            ++walk_.finished;
        if (all_wait && any_waits && !goes_on && !is_accepted(state))
            throw Fault{"everybody waits: " + text_of(state)};
    }

    static bool has_left(const Process &process) {
        const auto gone = [](const FlowLedger &flow) { return !flow.sink || flow.sink->left(); };
        return (!process.ledgers.source || process.ledgers.source->left()) &&
               std::all_of(process.ledgers.flows.begin(), process.ledgers.flows.end(), gone);
    }

    bool is_accepted(const State &state) const {
        if (!accepts_)
            return false;
        return std::any_of(state.processes.begin(), state.processes.end(), [&](const Process &process) {
            return process.waits && accepts_({process.ledgers, process.waiting});
        });
    }

    // All calls that process p can do in this state.
    void call(const State &state, int p) {
        const Process &process = state.processes[at(p)];
        const Ledgers &l = process.ledgers;
        const bool has_source = l.source.has_value();
        const int64_t to_insert = has_source ? job_.frames_at(*model_.source_of(p)) : 0;
        const bool inserts = has_source && !l.source->left() && l.source->inserted().count < to_insert;
        const bool done = !inserts && (!has_source || l.source->left() || l.source->closed() || !job_.stream);
        if (!process.broken) {
            if (inserts) {
                if (job_.calls.halves)
                    try_call(state, p, {Act::insert, {.source = true}});
                if (job_.calls.handles)
                    try_call(state, p, {Act::execute, {.source = true}});
            }
            if (has_source && !l.source->left()) {
                if (job_.calls.halves)
                    try_call(state, p, {Act::finish, {.source = true}});
                if (job_.stream && l.source->inserted().count == to_insert)
                    try_call(state, p, {Act::close, {.source = true}});
            }
            for (size_t k = 0; k < l.flows.size(); ++k) {
                if (!l.flows[k].sink || l.flows[k].sink->left())
                    continue;
                if (job_.calls.halves) {
                    try_call(state, p, {Act::release, {.sink = k}});
                    try_call(state, p, {Act::finish, {.sink = k}});
                }
                if (job_.calls.handles)
                    try_call(state, p, {Act::execute, {.sink = k}});
            }
            // By name, the source inserts a frame unless it is started, closed or left.
            const bool by_name =
                !has_source || inserts || l.source->started() || l.source->closed() || l.source->left();
            if (job_.calls.by_name && by_name)
                try_call(state, p, {Act::execute, existing(l, CallEndpoints::all(l))});
            if (job_.calls.start && by_name) {
                try_call(state, p, {Act::start, existing(l, CallEndpoints::all(l))});
                try_call(state, p, {Act::finish, started(l, CallEndpoints::all(l))});
            }
        }
        if (!job_.calls.leave && !done && !process.broken)
            return;
        if (has_source && !l.source->left() && (process.broken || !l.source->has_to_post()))
            leave_source(state, p);
        for (size_t k = 0; k < l.flows.size(); ++k)
            if (l.flows[k].sink && !l.flows[k].sink->left()) {
                State next = state;
                next.processes[at(p)].ledgers.flows[k].sink->leave();
                for (auto &of_source : next.messages)
                    of_source[k][at(p)] = {};
                next.headers[k][at(p)] = {};
                add(next);
            }
    }

    void leave_source(const State &state, int p) {
        State next = state;
        model_.observe(next, p);
        Process &process = next.processes[at(p)];
        const Ruling ruling = admit(process.ledgers, {Act::leave, {}});
        if (!process.broken && ruling.is_refused() && !job_.ignored.count(ruling.refusal.reason))
            return;
        process.ledgers.source->leave();
        for (FlowLedger &flow : process.ledgers.flows)
            flow.drop.leave();
        process.to_send = {};
        process.header_to_send = {};
        add(next);
    }

    void try_call(const State &state, int p, const Call &call) {
        State next = state;
        model_.observe(next, p);
        Process &process = next.processes[at(p)];
        Ledgers &l = process.ledgers;
        const Ruling ruling = admit(l, call);
        if (ruling.is_refused()) {
            const Reason reason = ruling.refusal.reason;
            check_refusal(state, p, ruling.refusal);
            if (!job_.ignored.count(reason)) {
                if (reason == Reason::close_mismatch)
                    fail(next, p);
                return;
            }
        }
        switch (call.act) {
        case Act::insert: l.source->insert(); break;
        case Act::release:
            release(process, call.endpoints.sink);
            l.flows[call.endpoints.sink].sink->release();
            break;
        case Act::close: l.source->close(); break;
        case Act::leave:
        case Act::test: break;
        case Act::start:
        case Act::execute: give(process, call.endpoints); break;
        case Act::finish:
            for (size_t k = 0; k < l.flows.size(); ++k)
                if (call.endpoints.includes(l, k)) {
                    l.flows[k].sink->want();
                    process.stores[k].in_use = true;
                }
            break;
        }
        if (call.act == Act::finish || call.act == Act::execute) {
            process.waits = true;
            process.waiting = call.endpoints;
        }
        movement_.move(next, p);
        if (process.waits)
            wake(next, p);
        add(next);
    }

    static void release(Process &process, size_t k) { ++process.stores[k].released; }

    // The first halves.
    static void give(Process &process, const CallEndpoints &endpoints) {
        Ledgers &l = process.ledgers;
        for (size_t k = 0; k < l.flows.size(); ++k) {
            if (!endpoints.includes(l, k) || l.flows[k].sink->started())
                continue;
            if (process.stores[k].extracted > process.stores[k].released)
                release(process, k);
            process.stores[k].in_use = true;
            l.flows[k].sink->start();
        }
        if (endpoints.source && !l.source->started())
            l.source->start();
    }

    // Ends the wait of process p if it can end. Returns whether it has.
    bool wake(State &state, int p) {
        model_.observe(state, p);
        Process &process = state.processes[at(p)];
        Ledgers &l = process.ledgers;
        const CallEndpoints endpoints = process.waiting;
        const Ruling ruling = resume(l, endpoints);
        if (ruling.kind == Ruling::wait)
            return false;
        if (ruling.is_refused()) {
            check_refusal(state, p, ruling.refusal);
            if (job_.ignored.count(ruling.refusal.reason))
                return false;
            const DRI_Code code = code_of(ruling.refusal.reason);
            process.waits = false;
            if (code != DRI_END_OF_STREAM && code != DRI_ERR_DEADLOCK)
                fail(state, p);
            return true;
        }
        process.waits = false;
        for (size_t k = 0; k < l.flows.size(); ++k)
            if (endpoints.includes(l, k))
                extract(state, p, k);
        if (endpoints.source) {
            l.source->acquire();
            const int64_t frame = l.source->acquired().count - 1;
            process.content[at(frame % job_.buffers)] = static_cast<int8_t>(frame); // the caller fills it at once
        }
        return true;
    }

    // A transfer that fails half-way is broken: its endpoints can only be destroyed.
    void fail(State &state, int p) {
        Process &process = state.processes[at(p)];
        process.broken = true;
        process.waits = false;
        for (size_t k = 0; k < process.ledgers.flows.size(); ++k)
            if (process.ledgers.flows[k].sink && !process.ledgers.flows[k].sink->left() && job_.stream)
                process.stores[k].at_end = process.stores[k].at_end || !job_.frames_of.empty();
        add(state);
    }

    // The buffer must hold the next frame, of every source, and nothing else.
    void extract(State &state, int p, size_t k) const {
        Process &process = state.processes[at(p)];
        Store &store = process.stores[k];
        const SinkSide &side = job_.sinks[k];
        const int64_t frame = store.extracted, array = frame / side.strips;
        int64_t number = -1;
        for (size_t s = 0; s < job_.sources.size(); ++s)
            for (int64_t strip = 0; strip < job_.strips && model_.takes(k, p, job_.sources[s]); ++strip) {
                const int8_t found = store.content[at(array % side.buffers)][s][at(strip)];
                const int64_t expected = side.drops ? state.kept[k][at(array)] : array * job_.strips + strip;
                if (found != expected)
                    throw Fault{fmt::format("sink {} of process {}: frame {} holds frame {} of source {}, not {}",
                                            k, p, frame, found, s, expected)};
                number = found;
            }
        if (side.drops && number <= store.last_number)
            throw Fault{
                fmt::format("sink {} of process {}: frame {} comes after {}", k, p, number, store.last_number)};
        store.last_number = static_cast<int8_t>(number);
        ++store.extracted;
        store.in_use = false;
        process.ledgers.flows[k].sink->extract();
    }

    // The numbers of a refusal are true: a stream has ended after the last frame, and a process that has left has
    // not handed over the frame that is missing.
    void check_refusal(const State &state, int p, const Refusal &refusal) {
        walk_.refusals.insert(refusal.reason);
        if (refusal.reason == Reason::end_of_stream && refusal.frame != job_.frames_at(0))
            throw Fault{fmt::format("process {} finds the end after {} frames", p, refusal.frame)};
        if (refusal.reason != Reason::source_gone || job_.sinks.size() > 1)
            return;
        const Process &peer = state.processes[at(refusal.peer)];
        const int64_t handed =
            job_.sinks[0].drops ? peer.ledgers.flows[0].drop.kept().count : peer.ledgers.source->inserted().count;
        const int64_t array = refusal.frame / job_.sinks[0].strips;
        if (!peer.broken && handed >= (array + 1) * job_.strips)
            throw Fault{fmt::format("process {} loses frame {}, which process {} handed over before it left", p,
                                    refusal.frame, refusal.peer)};
    }

    // How far sources are ahead, after docs/flow_control.md.
    void check(const State &state) {
        for (const int p : job_.sources) {
            const Process &process = state.processes[at(p)];
            const SourceLedger &source = *process.ledgers.source;
            const int64_t n = job_.buffers;
            for (size_t k = 0; k < job_.sinks.size(); ++k) {
                const SinkSide &side = job_.sinks[k];
                if (side.drops || process.broken)
                    continue;
                for (const int q : side.group) {
                    const Process &other = state.processes[at(q)];
                    const FlowLedger &flow = other.ledgers.flows[k];
                    if (flow.sink->left() || other.broken || other.stores[k].at_end || !model_.takes(k, q, p))
                        continue;
                    const int64_t has =
                        model_.taken(state, k, q, *model_.source_of(p)).count +
                        (model_.by_message(k, q, p) ? state.messages[*model_.source_of(p)][k][at(q)].size : 0);
                    // The frame that is acquired needs a buffer: n - 1 others are not taken.
                    if (source.acquired().count - 1 - has > n - 1)
                        throw Fault{fmt::format("source {} is {} frames ahead of sink {}: {}", p,
                                                source.acquired().count - 1 - has, q, text_of(state))};
                    if (q == p && job_.strips == 1 && side.strips == 1) {
                        const int64_t in_call = other.stores[k].in_use ? 1 : 0;
                        const int64_t ahead = source.acquired().count - 1 - other.stores[k].extracted - in_call;
                        walk_.max_ahead = std::max(walk_.max_ahead, ahead);
                        if (ahead > (side.users ? n - 1 : n + side.buffers - 2))
                            throw Fault{fmt::format("source {} is {} frames ahead of its own sink", p, ahead)};
                    }
                }
            }
        }
    }
};

} // namespace

int Job::processes() const {
    int count = 0;
    for (const int p : sources)
        count = std::max(count, p + 1);
    for (const SinkSide &side : sinks)
        for (const int p : side.group)
            count = std::max(count, p + 1);
    return count;
}

Walk walk(const Job &job, const Accepts &accepts) { return Walker(job, accepts).run(); }

} // namespace dri::flow::test
