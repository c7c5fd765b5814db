// The steps of the frames of a transfer: what moves when.
#include "base/error.hpp"
#include "exec/transfer.hpp"

#include <sched.h>

#include <algorithm>

namespace dri {

namespace {

bool moves(const Flow &flow) { return flow.sink && flow.sink->moving; }

} // namespace

// Those that this process waits for may themselves wait for messages, or for another transfer of this process:
// those move on only if somebody looks after them here.
bool LocalTransfer::pause(Backoff &wait) {
    constexpr int64_t looks = 16; // some 0.5 us
    const WaitMeter::Rest rest(waits_, transport_->crowded() ? 0 : looks);
    if (!wait.pause())
        return false;
    transport_->progress();
    if (transport_->meanwhile())
        wait.look_again();
    return true;
}

// One frame of the source and one of each sink move at a time.
void LocalTransfer::begin_sinks() {
    for (Flow &flow : flows_) {
        if (!flow.sink || flow.sink->moving || flow.sink->destroyed ||
            flow.sink->moved >= reach(flow, false, false))
            continue;
        if (flow.link.in_place() && source_->moved + (source_->moving ? 1 : 0) <= flow.sink->moved)
            continue; // the frame lies in the buffer of the source's
        flow.link.begin_sink();
        flow.sink->shift = flow.sink->next_offset.bytes;
        flow.sink->moving = true;
    }
}

void LocalTransfer::begin_source() {
    if (!source_ || source_->moving || source_->moved == source_->frames_to_move())
        return;
    if (!features_.messages) {
        source_->moved = source_->frames_to_move(); // others help themselves
        if (features_.in_place)
            begin_sinks();
        return;
    }
    for (Flow &flow : flows_)
        begin_flow(flow);
    source_->moving = true;
    for (Flow &flow : flows_) { // others wait for it
        send_header(flow);
        flow.link.send_one(source_->origin(source_->moved), false);
    }
    if (features_.in_place)
        begin_sinks();
}

void LocalTransfer::begin_moves() {
    begin_sinks();
    begin_source();
}

bool LocalTransfer::finish_moves() {
    bool any = false;
    for (Flow &flow : flows_) {
        if (!moves(flow) || flow.link.has_to_copy() || flow.link.has_to_receive() || flow.link.has_to_pull())
            continue;
        if (is_over(flow))
            continue; // what has come is a header alone
        if (features_.windows && flow.link.offset_mismatch())
            throw_offset_mismatch(flow);
        flow.sink->moving = false;
        ++flow.sink->moved;
        flow.drop.count_received();
        any = true;
    }
    if (!source_ || !source_->moving || std::any_of(flows_.begin(), flows_.end(), [](Flow &flow) {
            return flow.drop.has_to_decide() || flow.link.has_to_send();
        }))
        return any;
    source_->moving = false;
    ++source_->moved;
    return true;
}

// What has come is unpacked first, while it is in cache. A few messages are kept under way; what needs none goes
// on meanwhile, and only then are more packed than the others take. Where senders are many, it costs much to ask,
// and nobody asks before that.
bool LocalTransfer::run_step() {
    const auto unpack = [&](bool often) {
        for (Flow &flow : flows_)
            if (moves(flow) && flow.link.has_few_senders() == often && flow.link.unpack_one(flow.sink->target()))
                return true;
        return false;
    };
    const auto send = [&](bool ahead) {
        if (source_ && source_->moving)
            for (Flow &flow : flows_)
                if (decide(flow) || send_header(flow) ||
                    flow.link.send_one(source_->origin(source_->moved), ahead))
                    return true;
        return false;
    };
    if (features_.messages && ((features_.drops && send_drop_credits()) || (features_.headers && take_headers()) ||
                               unpack(true) || send(false)))
        return true;
    for (Flow &flow : flows_) {
        if (!moves(flow))
            continue;
        std::byte *const sink = flow.sink->target();
        const int64_t own = flow.sink->moved * flow.link.strips() + flow.link.next_own_strip();
        const bool has_own = source_ && source_->frames > own;
        if (flow.link.fill_one(flow.sink->buffer(flow.sink->arrived())))
            return true;
        if (features_.windows && has_own && flow.link.begins_own_part()) // once: the copy is next
            flow.link.observe_offset_own(*source_->window_offset(own));
        if (flow.link.copy_one(has_own ? source_->origin(own) : nullptr, sink) ||
            flow.link.pull_one(flow.sink->moved, sink))
            return true;
    }
    return features_.messages && (unpack(false) || send(true));
}

bool LocalTransfer::is_idle() const {
    return !(source_ && source_->moving) && std::none_of(flows_.begin(), flows_.end(), moves);
}

bool LocalTransfer::take_step() {
    if (run_step())
        return true;
    if (!finish_moves())
        return false;
    begin_moves();
    return true;
}

void LocalTransfer::run_steps() {
    while (take_step())
        continue;
}

// All that the source's frame still waits for is the first process's word on sinks that drop.
bool LocalTransfer::awaits_word() {
    if (!features_.drops)
        return false;
    const auto awaits = [](const Flow &flow) { return flow.drop.awaits().has_value(); };
    return source_->moving && std::any_of(flows_.begin(), flows_.end(), awaits) &&
           std::none_of(flows_.begin(), flows_.end(), [](Flow &flow) { return flow.link.has_to_send(); });
}

// In place, the buffer is the caller's as soon as the sink's frame is, so nothing may be read from it any more.
bool LocalTransfer::has_moved(const EndpointSet &endpoints) {
    const bool sends = endpoints.source && source_->moved < source_->frames;
    if (sends && (features_.in_place || !leaves_steps(endpoints)) && !awaits_word())
        return false;
    return std::none_of(flows_.begin(), flows_.end(), [&](const Flow &flow) {
        return endpoints.includes(flow) && flow.sink->arrived() <= flow.sink->frames;
    });
}

std::optional<int> LocalTransfer::slowest_puller(int64_t frames) const {
    for (const Flow &flow : flows_)
        if (const auto peer = flow.link.slowest_puller(frames))
            return peer;
    return std::nullopt;
}

bool LocalTransfer::holds_buffer(const Flow &flow) const {
    return flow.sink && !flow.sink->destroyed && flow.link.copies_own_part() &&
           taken_by(flow) < source_->acquired + 1 - source_->count();
}

bool LocalTransfer::has_buffer() const {
    const int64_t frames = source_->acquired + 1 - source_->count();
    return source_->moved >= frames &&
           std::none_of(flows_.begin(), flows_.end(), [&](const Flow &flow) { return holds_buffer(flow); }) &&
           !slowest_puller(frames);
}

// Whether the call waits for a frame of this sink.
bool LocalTransfer::needs(const EndpointSet &endpoints, const Flow &flow) const {
    return (endpoints.includes(flow) && flow.sink->arrived() <= flow.sink->frames) ||
           (endpoints.source && holds_buffer(flow));
}

void LocalTransfer::check_needed(const EndpointSet &endpoints) const {
    check_receivers(false);
    check_end_of_stream(endpoints);
    for (const Flow &flow : flows_)
        if (needs(endpoints, flow))
            check_senders(flow);
}

// Where nothing but messages is waited for, and of one kind: the transport knows best how. False where there is
// more to it.
bool LocalTransfer::wait_for_messages(const EndpointSet &endpoints) {
    if (features_.in_place)
        return false; // who has left may have messages to send that have no place yet
    Flow *to_send = nullptr, *to_receive = nullptr;
    for (Flow &flow : flows_) {
        if (flow.drop.drops())
            return false;
        if (moves(flow)) {
            if (!endpoints.includes(flow) || !needs(endpoints, flow) || flow.link.has_to_pull() ||
                flow.link.has_to_copy())
                return false;
            if (to_receive)
                return false;
            to_receive = &flow;
        }
        if (source_ && source_->moving && flow.link.has_to_send()) {
            if (to_send || flow.link.headers().has_to_send())
                return false;
            to_send = &flow;
        }
    }
    if ((to_send && to_receive) || (to_send && !endpoints.source))
        return false;
    if (to_send && source_->stream)
        return false; // that it is over may be heard from others than those that hold it up
    if (to_send) {
        const WaitMeter::Rest rest(waits_);
        to_send->link.wait_sends();
    }
    if (!to_receive)
        return to_send != nullptr;
    if (to_receive->link.headers().has_to_receive() && to_receive->link.has_other_senders())
        wait_for_header(endpoints);
    try {
        EndpointState &sink = *to_receive->sink;
        to_receive->link.receive(sink.target(), sink.header(sink.moved), waits_);
        note_header(*to_receive);
    } catch (const PeerLeft &error) {
        throw_source_gone(to_receive->link.of_source(error.departure()), *to_receive);
    }
    return true;
}

void LocalTransfer::throw_timeout(const EndpointSet &endpoints) const {
    for (const Flow &flow : flows_) {
        const auto peer = needs(endpoints, flow) ? flow.link.pending_sender(flow.sink->moved) : std::nullopt;
        if (peer)
            fail(DRI_ERR_TIMEOUT,
                 "transfer '{}': frame {} has not come to the sink of process {} in time: process {} has not "
                 "handed it over",
                 name_, flow.sink->arrived(), flow.link.plan().rank, *peer);
    }
    if (endpoints.source && source_->moved < source_->frames_to_move())
        for (const Flow &flow : flows_)
            if (const auto held = flow.link.blocking_receiver())
                fail(
                    DRI_ERR_TIMEOUT,
                    "transfer '{}': frame {} of the source of process {} has not gone in time: process {} has not "
                    "taken all messages up to frame {}",
                    name_, source_->moved, flow.link.plan().rank, held->peer,
                    source_->moved - held->frames_before);
    if (endpoints.source)
        for (const Flow &flow : flows_)
            if (const auto peer = flow.drop.awaits())
                fail(DRI_ERR_TIMEOUT,
                     "transfer '{}': frame {} of the source of process {} has not gone in time: process {}, the "
                     "source's first, has not handed it over",
                     name_, source_->moved, flow.link.plan().rank, *peer);
    if (endpoints.source)
        if (const auto peer = slowest_puller(source_->acquired + 1 - source_->count()))
            fail(
                DRI_ERR_TIMEOUT,
                "transfer '{}': no buffer of the source of process {} has become free in time: process {} has not "
                "taken frame {}",
                name_, flows_[0].link.plan().rank, *peer, source_->acquired - source_->count());
    fail(DRI_ERR_TIMEOUT, "transfer '{}': the deadline passed just before the frame was done", name_);
}

// Only steps bring frames nearer, but for buffers, which become free as others take what they hold. Where nothing
// is left to do here, nothing else is looked at: the pullers of a small frame are nearly as fast.
template <class Done>
void LocalTransfer::move_until(const EndpointSet &endpoints, Deadline deadline, bool polls, const Done &done) {
    const bool crowded = transport_->crowded();
    const bool leaves = leaves_steps(endpoints);
    bool news = true, idle = false;
    for (Backoff wait(crowded);;) {
        if (leaves && done())
            return;
        if (!idle && run_step()) {
            wait = Backoff(crowded);
            waits_.work();
            news = true;
            continue;
        }
        if (news) {
            news = finish_moves();
            if (news)
                begin_moves();
            idle = is_idle();
            if (done())
                return;
            if (news)
                continue;
            check_over(endpoints);
        } else if (polls && done()) {
            return;
        }
        if (!idle) {
            if (deadline == Deadline::max() && !leaves && wait_for_messages(endpoints)) {
                news = true;
                continue;
            }
            for (const Flow &flow : flows_)
                if (const auto lost = needs(endpoints, flow)
                                          ? flow.link.lost_pull(flow.sink->moved, header_arrived(flow))
                                          : std::nullopt)
                    throw_source_gone(*lost, flow);
        }
        if (!pause(wait))
            continue;
        if (deadline != Deadline::max() && Clock::now() >= deadline)
            throw_timeout(endpoints);
        poll_departures();
        check_needed(endpoints); // who sends messages may have gone, too
        news = true;
    }
}

Deadline LocalTransfer::deadline(const EndpointSet &endpoints, Clock::time_point begin) const {
    if (!features_.timeouts)
        return Deadline::max();
    std::chrono::milliseconds min_timeout{0};
    const auto add = [&](const EndpointState &endpoint) {
        if (endpoint.timeout.count() > 0 && (min_timeout.count() == 0 || endpoint.timeout < min_timeout))
            min_timeout = endpoint.timeout;
    };
    if (endpoints.source)
        add(*source_);
    for (const Flow &flow : flows_)
        if (endpoints.includes(flow))
            add(*flow.sink);
    return min_timeout.count() == 0 ? Deadline::max() : begin + min_timeout;
}

void LocalTransfer::complete(const EndpointSet &endpoints, Clock::time_point begin) {
    const Deadline until = deadline(endpoints, begin);
    move_until(endpoints, until, false, [&] { return has_moved(endpoints); });
    if (!endpoints.source)
        return;
    if (leaves_steps(endpoints))
        return move_until(endpoints, until, true, [&] { return has_buffer(); });
    linger(begin, until);
    if (!has_buffer())
        move_until(endpoints, until, true, [&] { return has_buffer(); });
}

void LocalTransfer::send_all(Deadline deadline) {
    move_until({.source = true}, deadline, false, [&] { return source_->moved == source_->frames_to_move(); });
}

bool LocalTransfer::sends_done(bool to_all) {
    bool done = true;
    for (Flow &flow : flows_)
        done = ((flow.drop.drops() && !to_all) || flow.link.sends_done()) && done;
    return done;
}

// Large messages move only inside calls. Sinks that wait already get theirs at once if the source stays a little;
// those that are late must not hold it, so it stays at most as long again as the call has taken.
void LocalTransfer::linger(Clock::time_point begin, Deadline deadline) {
    if (!features_.messages || sends_done(false))
        return;
    const WaitMeter::Rest rest(waits_);
    const auto now = Clock::now();
    const bool crowded = transport_->crowded();
    for (const auto until = std::min(deadline, now + (now - begin)); !sends_done(false) && Clock::now() < until;)
        if (crowded)
            sched_yield();
}

} // namespace dri
