// Visits all states of a job: each process does every call that is admitted.
#include "flow_frontier.hpp"
#include "flow_oracle.hpp"

#include "flow/waiting.hpp"

#include <algorithm>
#include <utility>

namespace dri::flow::test {

namespace {

class Walker {
public:
    Walker(const Job &job, const Accepts &accepts, Walk &walk, Order order = Order::depth_first)
        : job_(job), accepts_(accepts), walk_(walk), frontier_(job, order) {}

    // A fault that is found depth first is looked for again, breadth first, for the shortest way to it.
    Walk run() {
        try {
            visit_all();
        } catch (const Fault &fault) {
            walk_.fault = fault.text;
            Walker(job_, accepts_, walk_, Order::breadth_first).explain();
        }
        return walk_;
    }

private:
    const Job &job_;
    const Accepts &accepts_;
    Model model_{job_};
    Movement movement_{model_};
    Walk &walk_;
    Oracle oracle_{model_, walk_};
    Frontier frontier_;
    State scratch_;      // the next state
    size_t changed_ = 0; // the only process in which it differs from the state under visit
    Step step_;          // under way

    void add(State &state) { frontier_.add(state, step_); }

    // The state under visit, to be changed by a step of process p.
    State &next_of(const State &state, int p) {
        scratch_.processes[changed_] = state.processes[changed_];
        static_cast<Traffic &>(scratch_) = state;
        changed_ = at(p);
        return scratch_;
    }

    void visit_all() {
        for (frontier_.begin(model_.first_state()); !frontier_.empty();) {
            State state = frontier_.pop();
            scratch_ = state;
            visit(state);
            frontier_.recycle(std::move(state));
        }
    }

    // Adds the way to the first fault to its text.
    void explain() {
        try {
            visit_all();
        } catch (const Fault &fault) {
            walk_.fault = fmt::format("{}; after: {}{}", fault.text, frontier_.way(), text_of(step_));
        }
    }

    void visit(const State &state) {
        ++walk_.states;
        step_ = {};
        oracle_.check(state);
        bool all_wait = true, any_waits = false, goes_on = false;
        for (int p = 0; p < job_.processes(); ++p) {
            const Process &process = state.processes[at(p)];
            const bool left = has_left(process);
            any_waits = any_waits || process.waits;
            all_wait = all_wait && (left || process.waits);
            if (left || process.waits || job_.calls.progress || job_.posts_later)
                goes_on = go_on(state, p) || goes_on;
            if (!left && !process.waits)
                call(state, p);
        }
        if (!any_waits && all_wait)
            ++walk_.finished;
        if (all_wait && any_waits && !goes_on && !is_accepted(state))
            throw Fault{"everybody waits: " + text_of(state)};
    }

    // Moves frames outside a call, or in one that waits. Returns whether anything has changed.
    bool go_on(const State &state, int p) {
        step_ = {.process = static_cast<int8_t>(p), .kind = Step::move};
        State &next = next_of(state, p);
        bool any = !(job_.leaves_still && state.processes[at(p)].leaves) && movement_.move(next, p);
        if (next.processes[at(p)].waits)
            any = (job_.old_facts ? wake_if_done(next, p) : wake(next, p)) || any;
        if (any)
            add(next);
        if (!job_.old_facts || !next.processes[at(p)].waits)
            return any;
        step_.kind = Step::look;
        const bool woken = wake(next, p);
        add(next);
        return any || woken;
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
            return process.waits && accepts_({process.ledgers, process.waiting, process.leaves});
        });
    }

    // All calls that process p can do in this state. With old facts, both with and without a look at departures.
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
                if (job_.calls.attempts)
                    try_call(state, p, {Act::attempt, {.source = true}});
                if (job_.stream && (job_.calls.close_early || !inserts))
                    try_call(state, p, {Act::close, {.source = true}});
            }
            for (size_t k = 0; k < l.flows.size(); ++k) {
                if (!l.flows[k].sink || l.flows[k].sink->left())
                    continue;
                if (job_.calls.halves) {
                    try_call(state, p, {Act::release, CallEndpoints::of_sink(k)});
                    try_call(state, p, {Act::finish, CallEndpoints::of_sink(k)});
                }
                if (job_.calls.attempts)
                    try_call(state, p, {Act::attempt, CallEndpoints::of_sink(k)});
                if (job_.calls.handles)
                    try_call(state, p, {Act::execute, CallEndpoints::of_sink(k)});
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
                step_ = {.process = static_cast<int8_t>(p),
                         .kind = Step::leave_sink,
                         .what = {.endpoints = CallEndpoints::of_sink(k)}};
                State &next = next_of(state, p);
                next.processes[at(p)].ledgers.flows[k].sink->leave();
                for (auto &of_source : next.messages)
                    of_source[k][at(p)] = {};
                next.headers[k][at(p)] = {};
                add(next);
            }
    }

    void leave_source(const State &state, int p) {
        step_ = {.process = static_cast<int8_t>(p), .kind = Step::leave_source};
        State &next = next_of(state, p);
        observe(next, p, {});
        Process &process = next.processes[at(p)];
        const Ruling ruling = admit(process.ledgers, {Act::leave, {}});
        if (!process.broken && ruling.is_refused() && !job_.ignored.count(ruling.refusal->reason))
            return;
        if (!process.broken && closed_differently(process.ledgers, process.ledgers.source->inserted())) {
            fail(next, p);
            return;
        }
        if (!process.broken && reader(process.ledgers)) {
            process.waits = process.leaves = true;
            process.waiting = {};
        } else {
            finish_leaving(process);
        }
        add(next);
    }
    static void finish_leaving(Process &process) {
        const auto close = process.ledgers.known_close();
        process.through = close && close->frames <= process.ledgers.source->inserted();
        process.ledgers.source->leave();
        for (FlowLedger &flow : process.ledgers.flows)
            flow.drop.leave();
        process.to_send = {};
        process.header_to_send = {};
        process.waits = process.leaves = false;
    }
    // Ends the wait for the readers of a source. Returns whether nobody reads it.
    bool end_leaving(State &state, int p) const {
        model_.look(state, p);
        Process &process = state.processes[at(p)];
        if (reader(process.ledgers))
            return false;
        finish_leaving(process);
        return true;
    }

    void observe(State &state, int p, const CallEndpoints &endpoints) const {
        model_.observe(state, p, endpoints);
        model_.look(state, p);
    }

    void try_call(const State &state, int p, const Call &call) {
        step_ = {.process = static_cast<int8_t>(p), .what = call};
        if (job_.old_facts) {
            State &next = next_of(state, p);
            model_.look(next, p);
            begin_call(next, p, call);
        }
        State &next = next_of(state, p);
        observe(next, p, call.endpoints);
        begin_call(next, p, call);
    }

    void begin_call(State &next, int p, const Call &call) {
        Process &process = next.processes[at(p)];
        Ledgers &l = process.ledgers;
        const Ruling ruling = call.act == Act::attempt ? admit(l, call).without_wait() : admit(l, call);
        if (ruling.is_refused()) {
            const Reason reason = ruling.refusal->reason;
            oracle_.check_refusal(next, p, *ruling.refusal);
            if (!job_.ignored.count(reason)) {
                if (reason == Reason::close_mismatch)
                    fail(next, p);
                return;
            }
        }
        const bool attempts = call.act == Act::attempt, goes = ruling.kind != Ruling::wait;
        switch (goes ? call.act : Act::test) {
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
        case Act::attempt:
            for (size_t k = 0; k < l.flows.size(); ++k)
                if (call.endpoints.includes(l.flows[k])) {
                    l.flows[k].sink->want();
                    process.stores[k].in_use = true;
                }
            break;
        }
        if (call.act == Act::finish || call.act == Act::execute || (attempts && goes)) {
            process.waits = true;
            process.waiting = call.endpoints;
        }
        if (!job_.posts_later)
            movement_.move(next, p);
        if (process.waits)
            job_.old_facts && !attempts ? wake_if_done(next, p) : wake(next, p);
        process.waits = process.waits && !attempts;
        add(next);
    }

    static void release(Process &process, size_t k) { ++process.stores[k].released; }

    // The first halves.
    static void give(Process &process, const CallEndpoints &endpoints) {
        Ledgers &l = process.ledgers;
        for (size_t k = 0; k < l.flows.size(); ++k) {
            if (!endpoints.includes(l.flows[k]) || l.flows[k].sink->started())
                continue;
            if (process.stores[k].extracted > process.stores[k].released)
                release(process, k);
            process.stores[k].in_use = true;
            l.flows[k].sink->start();
        }
        if (endpoints.source && !l.source->started())
            l.source->start();
    }

    // Ends the wait of process p if it can end, by all that can be known. Returns whether it has.
    bool wake(State &state, int p) {
        Process &process = state.processes[at(p)];
        if (process.leaves)
            return end_leaving(state, p);
        observe(state, p, process.waiting);
        return end_wait(state, p, resume(process.ledgers, process.waiting, job_.posts_later));
    }

    // The same between the pauses of a wait: departures are not looked at.
    bool wake_if_done(State &state, int p) {
        model_.look(state, p);
        Process &process = state.processes[at(p)];
        if (process.leaves)
            return end_leaving(state, p);
        const Ledgers &l = process.ledgers;
        const CallEndpoints endpoints = process.waiting;
        if (!has_moved(l, endpoints, job_.posts_later) || (endpoints.source && !has_buffer(l))) {
            const Refused refused = over(l, endpoints);
            return end_wait(state, p, refused ? Ruling::of(refused) : Ruling{.kind = Ruling::wait});
        }
        for (size_t k = 0; k < l.flows.size() && endpoints.source; ++k)
            model_.observe_end(state, p, k);
        return end_wait(state, p,
                        Ruling::of(endpoints.source ? closed_differently(l, l.source->inserted()) : std::nullopt));
    }

    bool end_wait(State &state, int p, const Ruling &ruling) {
        Process &process = state.processes[at(p)];
        Ledgers &l = process.ledgers;
        const CallEndpoints endpoints = process.waiting;
        if (ruling.kind == Ruling::wait)
            return false;
        if (ruling.is_refused()) {
            oracle_.check_refusal(state, p, *ruling.refusal);
            if (job_.ignored.count(ruling.refusal->reason))
                return false;
            const DRI_Code code = code_of(ruling.refusal->reason);
            process.waits = false;
            if (code != DRI_END_OF_STREAM && code != DRI_ERR_DEADLOCK)
                fail(state, p);
            return true;
        }
        process.waits = false;
        for (size_t k = 0; k < l.flows.size(); ++k)
            if (endpoints.includes(l.flows[k])) {
                oracle_.extract(state, p, k);
                l.flows[k].sink->extract();
            }
        if (endpoints.source) {
            l.source->acquire();
            oracle_.acquire(process, l.source->acquired().count - 1);
        }
        return true;
    }

    // A transfer that fails half-way is broken: its endpoints can only be destroyed.
    void fail(State &state, int p) {
        Process &process = state.processes[at(p)];
        process.broken = true;
        process.waits = false;
        add(state);
    }
};

} // namespace

Walk walk(const Job &job, const Accepts &accepts) {
    Walk found;
    return Walker(job, accepts, found).run();
}

} // namespace dri::flow::test
