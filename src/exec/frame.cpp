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
bool Transfer::pause(Backoff &wait) {
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
void Transfer::begin_sinks() {
    for (Flow &flow : flows_) {
        if (!flow.sink || flow.sink->moving || flow.sink->destroyed ||
            flow.sink->moved >= reach(flow, false, false))
            continue;
        if (flow.link.in_place() && source_->moved + (source_->moving ? 1 : 0) <= flow.sink->moved)
            continue; // the frame lies in the buffer of the source's
        flow.link.begin_sink();
        flow.sink->shift = flow.sink->next_place.bytes;
        flow.sink->moving = true;
    }
}

void Transfer::begin_source() {
    if (!source_ || source_->moving || source_->moved == source_->frames_to_move())
        return;
    if (!traits_.messages) {
        source_->moved = source_->frames_to_move(); // others help themselves
        if (traits_.in_place)
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
    if (traits_.in_place)
        begin_sinks();
}

void Transfer::begin_moves() {
    begin_sinks();
    begin_source();
}

bool Transfer::end_moves() {
    bool any = false;
    for (Flow &flow : flows_) {
        if (!moves(flow) || flow.link.has_to_copy() || flow.link.has_to_receive() || flow.link.has_to_pull())
            continue;
        if (is_over(flow))
            continue; // what has come is a header alone
        if (traits_.windows && flow.link.clash())
            fail_apart(flow);
        flow.sink->moving = false;
        ++flow.sink->moved;
        flow.drop.count_taken();
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
bool Transfer::run_step() {
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
    if (traits_.messages &&
        ((traits_.drops && tell_taken()) || (traits_.headers && take_headers()) || unpack(true) || send(false)))
        return true;
    for (Flow &flow : flows_) {
        if (!moves(flow))
            continue;
        std::byte *const sink = flow.sink->target();
        const int64_t own = flow.sink->moved * flow.link.strips() + flow.link.next_own_strip();
        const bool has_own = source_ && source_->frames > own;
        if (flow.link.fill_one(flow.sink->buffer(flow.sink->arrived())))
            return true;
        if (traits_.windows && has_own && flow.link.begins_own_part()) // once: the copy is next
            flow.link.hear_own(*source_->window_place(own));
        if (flow.link.copy_one(has_own ? source_->origin(own) : nullptr, sink) ||
            flow.link.pull_one(flow.sink->moved, sink))
            return true;
    }
    return traits_.messages && (unpack(false) || send(true));
}

bool Transfer::is_idle() const {
    return !(source_ && source_->moving) && std::none_of(flows_.begin(), flows_.end(), moves);
}

bool Transfer::take_step() {
    if (run_step())
        return true;
    if (!end_moves())
        return false;
    begin_moves();
    return true;
}

void Transfer::run_steps() {
    while (take_step())
        continue;
}

// All that the source's frame still waits for is the first process's word on sinks that drop.
bool Transfer::awaits_word() {
    if (!traits_.drops)
        return false;
    const auto awaits = [](const Flow &flow) { return flow.drop.awaits().has_value(); };
    return source_->moving && std::any_of(flows_.begin(), flows_.end(), awaits) &&
           std::none_of(flows_.begin(), flows_.end(), [](Flow &flow) { return flow.link.has_to_send(); });
}

// In place, the buffer is the caller's as soon as the sink's frame is, so nothing may be read from it any more.
bool Transfer::has_moved(const EndSet &ends) {
    const bool sends = ends.source && source_->moved < source_->frames;
    if (sends && (traits_.in_place || !leaves_steps(ends)) && !awaits_word())
        return false;
    return std::none_of(flows_.begin(), flows_.end(), [&](const Flow &flow) {
        return ends.takes(flow) && flow.sink->arrived() <= flow.sink->frames;
    });
}

std::optional<int> Transfer::lacks(int64_t frames) const {
    for (const Flow &flow : flows_)
        if (const auto peer = flow.link.lacks(frames))
            return peer;
    return std::nullopt;
}

bool Transfer::holds_buffer(const Flow &flow) const {
    return flow.sink && !flow.sink->destroyed && flow.link.copies_own_part() &&
           taken_by(flow) < source_->acquired + 1 - source_->count();
}

bool Transfer::has_buffer() const {
    const int64_t frames = source_->acquired + 1 - source_->count();
    return source_->moved >= frames &&
           std::none_of(flows_.begin(), flows_.end(), [&](const Flow &flow) { return holds_buffer(flow); }) &&
           !lacks(frames);
}

// Whether the call waits for a frame of this sink.
bool Transfer::needs(const EndSet &ends, const Flow &flow) const {
    return (ends.takes(flow) && flow.sink->arrived() <= flow.sink->frames) || (ends.source && holds_buffer(flow));
}

void Transfer::check_needed(const EndSet &ends) const {
    check_receivers(false);
    check_end(ends);
    for (const Flow &flow : flows_)
        if (needs(ends, flow))
            check_senders(flow);
}

// Where nothing but messages is waited for, and of one kind: the transport knows best how. False where there is
// more to it.
bool Transfer::wait_for_messages(const EndSet &ends) {
    if (traits_.in_place)
        return false; // who has left may have messages to send that have no place yet
    Flow *to_send = nullptr, *to_receive = nullptr;
    for (Flow &flow : flows_) {
        if (flow.drop.drops())
            return false;
        if (moves(flow)) {
            if (!ends.takes(flow) || !needs(ends, flow) || flow.link.has_to_pull() || flow.link.has_to_copy())
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
    if ((to_send && to_receive) || (to_send && !ends.source))
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
        wait_for_header(ends);
    try {
        End &sink = *to_receive->sink;
        to_receive->link.receive(sink.target(), sink.header(sink.moved), waits_);
        note_header(*to_receive);
    } catch (const PeerLeft &error) {
        fail_without(to_receive->link.of_source(error.departure()), *to_receive);
    }
    return true;
}

void Transfer::fail_late(const EndSet &ends) const {
    for (const Flow &flow : flows_) {
        const auto peer = needs(ends, flow) ? flow.link.missing(flow.sink->moved) : std::nullopt;
        if (peer)
            fail(DRI_ERR_TIMEOUT,
                 "transfer '{}': frame {} has not come to the sink of process {} in time: process {} has not "
                 "handed it over",
                 name_, flow.sink->arrived(), flow.link.plan().rank, *peer);
    }
    if (ends.source && source_->moved < source_->frames_to_move())
        for (const Flow &flow : flows_)
            if (const auto held = flow.link.holds_up())
                fail(
                    DRI_ERR_TIMEOUT,
                    "transfer '{}': frame {} of the source of process {} has not gone in time: process {} has not "
                    "taken all messages up to frame {}",
                    name_, source_->moved, flow.link.plan().rank, held->peer,
                    source_->moved - held->frames_before);
    if (ends.source)
        for (const Flow &flow : flows_)
            if (const auto peer = flow.drop.awaits())
                fail(DRI_ERR_TIMEOUT,
                     "transfer '{}': frame {} of the source of process {} has not gone in time: process {}, the "
                     "source's first, has not handed it over",
                     name_, source_->moved, flow.link.plan().rank, *peer);
    if (ends.source)
        if (const auto peer = lacks(source_->acquired + 1 - source_->count()))
            fail(
                DRI_ERR_TIMEOUT,
                "transfer '{}': no buffer of the source of process {} has become free in time: process {} has not "
                "taken frame {}",
                name_, flows_[0].link.plan().rank, *peer, source_->acquired - source_->count());
    fail(DRI_ERR_TIMEOUT, "transfer '{}': the deadline passed just before the frame was done", name_);
}

// Only steps bring frames nearer, but for buffers, which become free as others take what they hold. Where nothing
// is left to do here, nothing else is looked at: the takers of a small frame are nearly as fast.
template <class Done>
void Transfer::move_until(const EndSet &ends, Deadline deadline, bool polls, const Done &done) {
    const bool crowded = transport_->crowded();
    const bool leaves = leaves_steps(ends);
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
            news = end_moves();
            if (news)
                begin_moves();
            idle = is_idle();
            if (done())
                return;
            if (news)
                continue;
            check_over(ends);
        } else if (polls && done()) {
            return;
        }
        if (!idle) {
            if (deadline == Deadline::max() && !leaves && wait_for_messages(ends)) {
                news = true;
                continue;
            }
            for (const Flow &flow : flows_)
                if (const auto lost =
                        needs(ends, flow) ? flow.link.lost_pull(flow.sink->moved, is_there(flow)) : std::nullopt)
                    fail_without(*lost, flow);
        }
        if (!pause(wait))
            continue;
        if (deadline != Deadline::max() && Clock::now() >= deadline)
            fail_late(ends);
        look();
        check_needed(ends); // who sends messages may have gone, too
        news = true;
    }
}

Deadline Transfer::deadline(const EndSet &ends, Clock::time_point begin) const {
    if (!traits_.timeouts)
        return Deadline::max();
    std::chrono::milliseconds least{0};
    const auto add = [&](const End &end) {
        if (end.timeout.count() > 0 && (least.count() == 0 || end.timeout < least))
            least = end.timeout;
    };
    if (ends.source)
        add(*source_);
    for (const Flow &flow : flows_)
        if (ends.takes(flow))
            add(*flow.sink);
    return least.count() == 0 ? Deadline::max() : begin + least;
}

void Transfer::complete(const EndSet &ends, Clock::time_point begin) {
    const Deadline until = deadline(ends, begin);
    move_until(ends, until, false, [&] { return has_moved(ends); });
    if (!ends.source)
        return;
    if (leaves_steps(ends))
        return move_until(ends, until, true, [&] { return has_buffer(); });
    linger(begin, until);
    if (!has_buffer())
        move_until(ends, until, true, [&] { return has_buffer(); });
}

void Transfer::send_all(Deadline deadline) {
    move_until({.source = true}, deadline, false, [&] { return source_->moved == source_->frames_to_move(); });
}

bool Transfer::sends_done(bool to_all) {
    bool done = true;
    for (Flow &flow : flows_)
        done = ((flow.drop.drops() && !to_all) || flow.link.sends_done()) && done;
    return done;
}

// Large messages move only inside calls. Sinks that wait already get theirs at once if the source stays a little;
// those that are late must not hold it, so it stays at most as long again as the call has taken.
void Transfer::linger(Clock::time_point begin, Deadline deadline) {
    if (!traits_.messages || sends_done(false))
        return;
    const WaitMeter::Rest rest(waits_);
    const auto now = Clock::now();
    const bool crowded = transport_->crowded();
    for (const auto until = std::min(deadline, now + (now - begin)); !sends_done(false) && Clock::now() < until;)
        if (crowded)
            sched_yield();
}

} // namespace dri
