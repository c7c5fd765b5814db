// Waits for frames.
#include "exec/frame_wait.hpp"

#include "base/error.hpp"
#include "flow/admission.hpp"
#include "flow/waiting.hpp"
#include "transport/departures.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace dri::exec {

// The first flow that exchanges messages polls for all, because the transport notes departures in all exchanges.
void FrameWait::poll_exchanges(transport::Look look) {
    for (Flow &flow : parts_.flows)
        if (flow.link.poll_departures(look))
            return;
}

bool FrameWait::receives_data(const flow::CallEndpoints &endpoints) const {
    return std::any_of(parts_.flows.begin(), parts_.flows.end(), [&](const Flow &flow) {
        return flow.link.shape().receives_data && endpoints.includes(*flow.ledger);
    });
}

// The close is known from sinks that have reached it, and these may report it at any time.
void FrameWait::compare_close() {
    facts_.observe_ends();
    parts_.refuse(flow::closed_differently(parts_.ledgers, parts_.ledgers.source->inserted()));
}

// Whether others have run in a call of MPI since this was asked last.
bool FrameWait::others_ran() {
    const int64_t rests = parts_.transport->rests();
    return std::exchange(rests_, rests) != rests;
}

// The rests of a pause. Each returns whether there is time for other work. free: looks that do not count as a
// wait. moves: MPI yields while it moves messages.
bool FrameWait::rest(transport::Backoff &wait, int64_t free, bool moves) {
    const WaitMeter::Rest rest(waits_, free);
    if (!moves)
        return wait.rest();
    const auto before = transport::Clock::now();
    parts_.transport->progress();
    return others_ran() ? wait.rest_between(before, transport::Clock::now()) : wait.rest();
}

bool FrameWait::rest_in_look(transport::Backoff &wait, int64_t free) {
    const auto now = transport::Clock::now();
    waits_.rest_until(now, free);
    return wait.rest_until(now);
}

// The processes that this one waits for may themselves wait for its messages, or for another of its transfers.
// Therefore a pause moves those, too. If MPI yields the core in a look, that is the rest: two in a row would take
// twice as long.
bool FrameWait::pause(transport::Backoff &wait) {
    constexpr int64_t looks = 16; // about 0.5 us
    const int64_t free = parts_.features.crowded ? 1 : looks;
    if (wait.spin()) { // most pauses
        const WaitMeter::Rest rest(waits_, free);
        return false;
    }
    transport::Transport &transport = *parts_.transport;
    const bool looked = others_ran(), moves = !looked && parts_.features.crowded && transport.yields();
    if (!(looked ? rest_in_look(wait, free) : rest(wait, free, moves)))
        return false;
    if (!moves)
        transport.progress();
    if (transport.meanwhile())
        wait.look_again();
    return true;
}

bool FrameWait::has_moved(const flow::CallEndpoints &endpoints) {
    facts_.observe_sends(endpoints);
    return flow::has_moved(parts_.ledgers, endpoints, leaves_steps(endpoints));
}

bool FrameWait::has_buffer() {
    facts_.observe_pullers();
    return flow::has_buffer(parts_.ledgers);
}

flow::Ruling FrameWait::look(const flow::CallEndpoints &endpoints) {
    facts_.observe(endpoints);
    facts_.observe_sends(endpoints);
    if (endpoints.source)
        facts_.observe_pullers();
    return flow::resume(parts_.ledgers, endpoints, leaves_steps(endpoints));
}

bool FrameWait::goes_on(const flow::Ruling &ruling) const {
    if (ruling.is_refused())
        flow::refuse(*ruling.refusal, parts_.caller());
    return ruling.kind == flow::Ruling::go;
}

void FrameWait::check_over(const flow::CallEndpoints &endpoints) const {
    if (parts_.features.headers || parts_.features.drops)
        parts_.refuse(flow::over(parts_.ledgers, endpoints));
}

// Pulled data never arrives if their source has left. This is looked at in every spin.
void FrameWait::check_pulls(const flow::CallEndpoints &endpoints) const {
    for (const Flow &flow : parts_.flows) {
        if (!flow::needs(parts_.ledgers, endpoints, *flow.ledger))
            continue;
        const flow::SinkLedger &sink = *flow.ledger->sink;
        if (const auto lost = flow.link.pulls().lost(sink.whole().count))
            parts_.refuse(flow::refuse_without(*flow.ledger, {lost->peer, {lost->frames}, lost->complete()}));
    }
}

flow::Refused FrameWait::missing(const flow::CallEndpoints &endpoints, For what, const Among &among) const {
    return what == For::frames ? facts_.missing(endpoints, among) : facts_.missing_reader(among);
}

void FrameWait::look_around(const flow::CallEndpoints &endpoints, transport::Deadline deadline, For what) {
    const auto find_missing = [&](const Among &among) { return missing(endpoints, what, among); };
    if (deadline != transport::Deadline::max())
        if (const auto now = transport::Clock::now(); now >= deadline) {
            long_wait_.look_last(now, waits_.waited(), std::cref(find_missing));
            parts_.refuse(find_missing(anybody).value_or(flow::Refusal{.reason = flow::Reason::late}));
        }
    if (long_wait_.is_due(waits_.waited()))
        long_wait_.look(waits_.waited(), std::cref(find_missing)); // by reference: nothing is allocated
    if (parts_.features.messages)
        poll_exchanges(transport::Look::cheap); // the pause has moved them on
    is_done(endpoints);                         // for its failures: senders of messages may have left, too
}

// The only loop that waits. Steps of this process make done() true. Only free buffers come from other processes,
// and they read the source's: then done() is checked without a step, too. If no step is left (idle), the first
// spins check only done(), because pullers finish a small frame almost at once. A pause that leaves time for other
// work also checks the deadline, departures and whether the wait can still end.
template <FrameWait::EndedBy by, FrameWait::For what, class Done>
void FrameWait::move_until(const flow::CallEndpoints &endpoints, transport::Deadline deadline, const Done &done) {
    const bool crowded = parts_.features.crowded;
    const bool leaves = leaves_steps(endpoints);
    constexpr bool polls = by != EndedBy::own_steps, steps = by != EndedBy::others_alone;
    bool news = steps, idle = !steps;
    if (crowded)
        rests_ = parts_.transport->rests();
    // Messages move only while a process looks, so it does not sleep while it waits for data in messages. With a
    // deadline or a progress thread it does: such a wait may be long, or somebody else looks.
    const bool sleeps = !steps || !parts_.features.data_sent || leaves || deadline != transport::Deadline::max();
    const auto rest = sleeps ? transport::Backoff::Rest::sleep : transport::Backoff::Rest::yield;
    for (transport::Backoff wait(crowded, rest);;) {
        if (leaves && done())
            return;
        if (!idle && engine_.run_step()) {
            wait = transport::Backoff(crowded, rest);
            waits_.work();
            news = true;
            continue;
        }
        if (news) {
            news = engine_.finish_moves();
            if (news)
                engine_.begin_moves();
            idle = engine_.is_idle();
            if (done())
                return;
            if (news)
                continue;
            check_over(endpoints);
        } else if (polls && done()) {
            return;
        }
        if (!idle && parts_.features.pulls)
            check_pulls(endpoints);
        if (!pause(wait))
            continue;
        look_around(endpoints, deadline, what);
        news = steps;
    }
}

// The shortest timeout of the call's endpoints counts.
transport::Deadline FrameWait::deadline(const flow::CallEndpoints &endpoints,
                                        transport::Clock::time_point begin) const {
    std::chrono::milliseconds min_timeout{0};
    const auto add = [&](const EndpointState &state) {
        if (state.timeout.count() > 0 && (min_timeout.count() == 0 || state.timeout < min_timeout))
            min_timeout = state.timeout;
    };
    if (endpoints.source)
        add(*parts_.source);
    for (const Flow &flow : parts_.flows)
        if (endpoints.includes(*flow.ledger))
            add(*flow.sink);
    return min_timeout.count() == 0 ? transport::Deadline::max() : begin + min_timeout;
}

// First the frames must be done, then the source's next buffer must be free.
void FrameWait::complete(const flow::CallEndpoints &endpoints, transport::Clock::time_point begin) {
    const transport::Deadline until =
        parts_.features.timeouts ? deadline(endpoints, begin) : transport::Deadline::max();
    move_until<EndedBy::own_steps>(endpoints, until, [&] { return has_moved(endpoints); });
    if (!endpoints.source)
        return;
    if (leaves_steps(endpoints))
        return move_until<EndedBy::others_too>(endpoints, until, [&] { return has_buffer(); });
    if (parts_.features.messages)
        linger(begin, until);
    if (!has_buffer())
        move_until<EndedBy::others_too>(endpoints, until, [&] { return has_buffer(); });
}

void FrameWait::send_all(transport::Deadline deadline) {
    move_until<EndedBy::own_steps>({.source = true}, deadline,
                                   [&] { return !parts_.ledgers.source->has_to_post(); });
}

std::optional<int> FrameWait::reader() {
    facts_.observe_readers();
    return flow::reader(parts_.ledgers);
}

// The user may do anything with the buffers once the source is destroyed, so no process may still read them. The
// readers may themselves wait for frames that the sinks of this process can still take.
void FrameWait::wait_for_readers(transport::Deadline deadline) {
    move_until<EndedBy::others_too, For::readers>({}, deadline, [&] { return !reader(); });
}

void FrameWait::pause_for_readers(transport::Deadline deadline) {
    move_until<EndedBy::others_alone, For::readers>({}, deadline, [&] { return !reader(); });
}

void FrameWait::spare_readers(transport::Deadline deadline) {
    move_until<EndedBy::others_alone, For::readers>(
        {}, transport::Deadline::max(), [&] { return !reader() || transport::Clock::now() >= deadline; });
}

// Large messages move only inside calls. If the source stays a little, sinks that already wait receive theirs at
// once. Late sinks must not hold the source, so it stays at most as long again as the call has taken, and never
// long. Meanwhile it moves what other processes may wait for.
void FrameWait::linger(transport::Clock::time_point begin, transport::Deadline deadline) {
    constexpr std::chrono::seconds longest_stay{1};
    if (!engine_.stays_to_send() || engine_.sends_done(Receivers::holding))
        return;
    const auto now = transport::Clock::now();
    const auto until = std::min({deadline, now + (now - begin), now + longest_stay});
    move_until<EndedBy::others_too>({}, transport::Deadline::max(), [&] {
        return engine_.sends_done(Receivers::holding) || transport::Clock::now() >= until;
    });
}

bool FrameWait::has_thread(const flow::CallEndpoints &endpoints) const {
    bool leaves = endpoints.source && parts_.source->has_thread;
    for (const Flow &flow : parts_.flows)
        leaves = leaves || (endpoints.includes(*flow.ledger) && flow.sink->has_thread);
    return leaves;
}

void FrameWait::check_admitted(const flow::Call &call) const {
    if (const flow::Ruling ruling = flow::admit(parts_.ledgers, call); ruling.is_refused())
        flow::refuse(*ruling.refusal, parts_.caller());
}

void FrameWait::admit(const flow::Call &call) {
    facts_.observe(call.endpoints);
    check_admitted(call);
}

bool FrameWait::admit_attempt(const flow::Call &call) {
    facts_.observe(call.endpoints);
    return goes_on(flow::admit(parts_.ledgers, call).without_wait());
}

} // namespace dri::exec
