// Moves frames: which step comes next, when a frame is complete, what a call waits for and for how long.
#include "base/error.hpp"
#include "exec/transfer.hpp"
#include "transport/backoff.hpp"
#include "transport/transport.hpp"

#include <sched.h>

#include <algorithm>

namespace dri::exec {

namespace {

bool moves(const Flow &flow) { return flow.sink && flow.sink->moving; }

// Polling for a message costs time for each sender.
enum class Senders { few, many };

bool unpack_arrived(std::vector<Flow> &flows, Senders senders) {
    for (Flow &flow : flows)
        if (moves(flow) && flow.link.shape().few_senders == (senders == Senders::few) &&
            flow.link.unpack_next(flow.sink->target()))
            return true;
    return false;
}

bool pull_ready(std::vector<Flow> &flows) {
    for (Flow &flow : flows)
        if (moves(flow) && flow.link.pull_next(flow.sink->moved, flow.sink->target()))
            return true;
    return false;
}

} // namespace

// The processes that this one waits for may themselves wait for its messages, or for another of its transfers.
// Therefore a pause moves those, too.
bool LocalTransfer::pause(transport::Backoff &wait) {
    constexpr int64_t looks = 16; // about 0.5 us
    const WaitMeter::Rest rest(waits_, transport_->crowded() ? 1 : looks);
    if (!wait.pause())
        return false;
    transport_->progress();
    if (transport_->meanwhile())
        wait.look_again();
    return true;
}

// Starts the next frame of each sink that has a free buffer, and posts its receives. One frame of the source and
// one of each sink move at a time.
void LocalTransfer::begin_sinks() {
    for (Flow &flow : flows_) {
        if (!flow.sink || flow.sink->moving || flow.sink->destroyed ||
            flow.sink->moved >= reach(flow, false, false))
            continue;
        if (flow.link.shape().in_place && source_->moved + (source_->moving ? 1 : 0) <= flow.sink->moved)
            continue; // the sink's frame starts after the source's, which is in the same buffer
        flow.link.begin_sink();
        flow.sink->shift = flow.sink->next_offset.bytes;
        flow.sink->moving = true;
    }
}

// Without messages the frame is done at once: sinks copy or pull it from its buffer.
void LocalTransfer::begin_source() {
    if (!source_ || source_->moving || source_->moved == source_->frames_to_move())
        return;
    if (!features_.messages) {
        source_->moved = source_->frames_to_move(); // sinks take the frame themselves
        if (features_.in_place)
            begin_sinks();
        return;
    }
    for (Flow &flow : flows_)
        begin_flow(flow);
    source_->moving = true;
    for (Flow &flow : flows_) { // other processes wait for this
        send_header(flow);
        flow.link.post_next(source_->origin(source_->moved), SendAhead::few);
    }
    if (features_.in_place)
        begin_sinks();
}

void LocalTransfer::begin_moves() {
    begin_sinks();
    begin_source();
}

// Counts the frames of which no step is left. Returns whether there was one, so that the next frames can start.
bool LocalTransfer::finish_moves() {
    bool any = false;
    for (Flow &flow : flows_) {
        if (!moves(flow) || flow.link.left(Of::sink))
            continue;
        if (is_over(flow))
            continue; // only the header of the close has arrived
        if (features_.windows && flow.link.offset_mismatch())
            throw_offset_mismatch(flow);
        flow.sink->moving = false;
        ++flow.sink->moved;
        flow.drop.count_received();
        any = true;
    }
    if (!source_ || !source_->moving || std::any_of(flows_.begin(), flows_.end(), [](Flow &flow) {
            return flow.drop.has_to_decide() || flow.link.left(Of::source);
        }))
        return any;
    source_->moving = false;
    ++source_->moved;
    return true;
}

// A header that found no slot, or a frame without a verdict, is tried again just before packing.
bool LocalTransfer::post_next(SendAhead ahead) {
    if (!source_ || !source_->moving)
        return false;
    for (Flow &flow : flows_)
        if (take_verdict(flow) || send_header(flow) || flow.link.post_next(source_->origin(source_->moved), ahead))
            return true;
    return false;
}

bool LocalTransfer::copy_own() {
    for (Flow &flow : flows_) {
        if (!moves(flow))
            continue;
        const int64_t own = flow.sink->moved * flow.link.shape().strips + flow.link.own().next_strip();
        const bool has_own = source_ && source_->frames > own;
        if (flow.link.fill_next(flow.sink->buffer(flow.sink->arrived())) ||
            flow.link.copy_next(has_own ? source_->origin(own) : nullptr, flow.sink->target(),
                                has_own ? source_->window_offset(own) : nullptr))
            return true;
    }
    return false;
}

// Takes one step. The order is:
// 1. Credits and headers, which other processes wait for. Then what has arrived is unpacked, while it is in cache,
//    and packed until a few messages are under way.
// 2. Pads, the own part and pulls, which need no messages.
// 3. Only then are many senders polled, which costs time, and messages packed ahead of what the receivers take.
bool LocalTransfer::run_step() {
    if (!features_.messages)
        return copy_own() || pull_ready(flows_);
    return (features_.drops && send_drop_credits()) || (features_.headers && take_headers()) ||
           unpack_arrived(flows_, Senders::few) || post_next(SendAhead::few) || copy_own() || pull_ready(flows_) ||
           unpack_arrived(flows_, Senders::many) || post_next(SendAhead::all);
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

// Whether the source's frame waits only for verdicts of the source's first process, about sinks that drop.
bool LocalTransfer::awaits_verdict() {
    if (!features_.drops)
        return false;
    const auto awaits = [](const Flow &flow) { return flow.drop.awaits().has_value(); };
    return source_->moving && std::any_of(flows_.begin(), flows_.end(), awaits) &&
           std::none_of(flows_.begin(), flows_.end(), [](Flow &flow) { return flow.link.left(Of::source); });
}

// Whether the frames of a call are done. In place, all messages must be packed first, because the caller owns the
// buffer as soon as the sink's frame is whole. Otherwise a progress thread may send later. No verdict is waited
// for.
bool LocalTransfer::has_moved(const EndpointSet &endpoints) {
    const bool sends = endpoints.source && source_->moved < source_->frames;
    if (sends && (features_.in_place || !leaves_steps(endpoints)) && !awaits_verdict())
        return false;
    return std::none_of(flows_.begin(), flows_.end(), [&](const Flow &flow) {
        return endpoints.includes(flow) && flow.sink->arrived() <= flow.sink->frames;
    });
}

std::optional<int> LocalTransfer::lagging_puller(int64_t frames) const {
    for (const Flow &flow : flows_)
        if (const auto peer = flow.link.pullers().lagging(frames))
            return peer;
    return std::nullopt;
}

bool LocalTransfer::holds_buffer(const Flow &flow) const {
    return flow.sink && !flow.sink->destroyed && flow.link.shape().copies_own &&
           taken_by(flow) < source_->acquired + 1 - source_->count();
}

// The source's next buffer is free once its old frame is posted, copied by the process's sinks and pulled by all.
bool LocalTransfer::has_buffer() const {
    const int64_t frames = source_->acquired + 1 - source_->count();
    return source_->moved >= frames &&
           std::none_of(flows_.begin(), flows_.end(), [&](const Flow &flow) { return holds_buffer(flow); }) &&
           !lagging_puller(frames);
}

// Whether the call waits for a frame of this sink.
bool LocalTransfer::needs(const EndpointSet &endpoints, const Flow &flow) const {
    return (endpoints.includes(flow) && flow.sink->arrived() <= flow.sink->frames) ||
           (endpoints.source && holds_buffer(flow));
}

// Throws if something that the call waits for can no longer arrive, because a process has left.
void LocalTransfer::check_needed(const EndpointSet &endpoints) const {
    check_receivers(false);
    check_same_close(endpoints);
    for (const Flow &flow : flows_)
        if (needs(endpoints, flow))
            check_senders(flow);
}

// Names a process that the call waits for: for data first, then for free slots, a verdict and a free buffer.
void LocalTransfer::throw_timeout(const EndpointSet &endpoints) const {
    for (const Flow &flow : flows_) {
        const auto peer = needs(endpoints, flow) ? flow.link.pending_sender(flow.sink->moved) : std::nullopt;
        if (peer)
            fail(DRI_ERR_TIMEOUT,
                 "transfer '{}': frame {} did not reach the sink of process {} in time: process {} has not handed "
                 "it over",
                 name_, flow.sink->arrived(), flow.link.plan().rank, *peer);
    }
    if (endpoints.source && source_->moved < source_->frames_to_move())
        for (const Flow &flow : flows_)
            if (const auto blocking = flow.link.blocking_receiver())
                fail(
                    DRI_ERR_TIMEOUT,
                    "transfer '{}': frame {} of the source of process {} was not sent in time: process {} has not "
                    "taken all messages up to frame {}",
                    name_, source_->moved, flow.link.plan().rank, blocking->peer,
                    source_->moved - blocking->frames_before);
    if (endpoints.source)
        for (const Flow &flow : flows_)
            if (const auto peer = flow.drop.awaits())
                fail(DRI_ERR_TIMEOUT,
                     "transfer '{}': frame {} of the source of process {} was not sent in time: process {}, the "
                     "first of the source, has not handed it over",
                     name_, source_->moved, flow.link.plan().rank, *peer);
    if (endpoints.source)
        if (const auto peer = lagging_puller(source_->acquired + 1 - source_->count()))
            fail(DRI_ERR_TIMEOUT,
                 "transfer '{}': no buffer of the source of process {} became free in time: process {} has not "
                 "taken frame {}",
                 name_, flows_[0].link.plan().rank, *peer, source_->acquired - source_->count());
    fail(DRI_ERR_TIMEOUT, "transfer '{}': the timeout passed just before the frame was done", name_);
}

// The only loop that waits for a frame. Steps of this process make done() true. Only free buffers come from other
// processes; `polls` therefore checks done() without a step, too. If no step is left (idle), the first spins check
// only done(), because pullers finish a small frame almost at once. A pause that leaves time for other work also
// checks the deadline, departures and whether the wait can still end.
template <class Done>
void LocalTransfer::move_until(const EndpointSet &endpoints, transport::Deadline deadline, bool polls,
                               const Done &done) {
    const bool crowded = transport_->crowded();
    const bool leaves = leaves_steps(endpoints);
    bool news = true, idle = false;
    // Messages move only while a process looks, so it does not sleep while it waits for data in messages.
    const auto rest = features_.data_sent ? transport::Backoff::Rest::yield : transport::Backoff::Rest::sleep;
    for (transport::Backoff wait(crowded, rest);;) {
        if (leaves && done())
            return;
        if (!idle && run_step()) {
            wait = transport::Backoff(crowded, rest);
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
            throw_if_over(endpoints);
        } else if (polls && done()) {
            return;
        }
        if (!idle) {
            for (const Flow &flow : flows_)
                if (const auto lost = needs(endpoints, flow)
                                          ? flow.link.lost_pull(flow.sink->moved, header_arrived(flow))
                                          : std::nullopt)
                    throw_source_gone(*lost, flow);
        }
        if (!pause(wait))
            continue;
        if (deadline != transport::Deadline::max() && transport::Clock::now() >= deadline)
            throw_timeout(endpoints);
        poll_departures();
        check_needed(endpoints); // senders of messages may have left, too
        news = true;
    }
}

// The shortest timeout of the call's endpoints counts.
transport::Deadline LocalTransfer::deadline(const EndpointSet &endpoints,
                                            transport::Clock::time_point begin) const {
    if (!features_.timeouts)
        return transport::Deadline::max();
    std::chrono::milliseconds min_timeout{0};
    const auto add = [&](const EndpointState &state) {
        if (state.timeout.count() > 0 && (min_timeout.count() == 0 || state.timeout < min_timeout))
            min_timeout = state.timeout;
    };
    if (endpoints.source)
        add(*source_);
    for (const Flow &flow : flows_)
        if (endpoints.includes(flow))
            add(*flow.sink);
    return min_timeout.count() == 0 ? transport::Deadline::max() : begin + min_timeout;
}

// First the frames must be done, then the source's next buffer must be free.
void LocalTransfer::complete(const EndpointSet &endpoints, transport::Clock::time_point begin) {
    const transport::Deadline until = deadline(endpoints, begin);
    move_until(endpoints, until, false, [&] { return has_moved(endpoints); });
    if (!endpoints.source)
        return;
    if (leaves_steps(endpoints))
        return move_until(endpoints, until, true, [&] { return has_buffer(); });
    linger(begin, until);
    if (!has_buffer())
        move_until(endpoints, until, true, [&] { return has_buffer(); });
}

void LocalTransfer::send_all(transport::Deadline deadline) {
    move_until({.source = true}, deadline, false, [&] { return source_->moved == source_->frames_to_move(); });
}

bool LocalTransfer::sends_done(bool to_all) {
    bool done = true;
    for (Flow &flow : flows_)
        done = ((flow.drop.drops() && !to_all) || flow.link.sends_done()) && done;
    return done;
}

// Large messages move only inside calls. If the source stays a little, sinks that already wait receive theirs at
// once. Late sinks must not hold the source, so it stays at most as long again as the call has taken.
void LocalTransfer::linger(transport::Clock::time_point begin, transport::Deadline deadline) {
    if (!features_.messages || sends_done(false))
        return;
    const WaitMeter::Rest rest(waits_);
    const auto now = transport::Clock::now();
    const bool crowded = transport_->crowded();
    for (const auto until = std::min(deadline, now + (now - begin));
         !sends_done(false) && transport::Clock::now() < until;)
        if (crowded)
            sched_yield();
}

} // namespace dri::exec
