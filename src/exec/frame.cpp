// The steps of one frame of a transfer: what moves when.
#include "exec/transfer.hpp"

#include <sched.h>

#include <algorithm>

namespace dri {

bool Transfer::Ends::takes(const Flow &flow) const {
    return flow.sink && !flow.sink->destroyed && (!only || only == &flow) && sinks;
}

void Transfer::hand_over() {
    if (!source_->shared)
        return;
    const std::byte *buffer = source_->buffer(source_->frames);
    const int64_t i = in_turn(source_->frames, std::ssize(source_->buffers));
    std::byte *const shared = source_->shared->buffer(i);
    if (shared != buffer && source_->shared->is_shared(i))
        copy_memory(source_->team, shared, buffer, source_->buffer_bytes);
    source_->shared->hand_over(source_->frames + 1);
}

// Those that this process waits for may themselves wait for messages, of any transfer, which move on only if their
// senders look after them.
bool Transfer::pause(Backoff &wait) {
    constexpr int64_t looks = 16; // some 0.5 us
    const WaitMeter::Rest rest(waits_, transport_->crowded() ? 0 : looks);
    if (!wait.pause())
        return false;
    transport_->progress();
    return true;
}

// What has come is unpacked first, while it is in cache. A few messages are kept under way; what needs none goes
// on meanwhile, and only then are more packed than the others take. Where senders are many, it costs much to ask,
// and nobody asks before that.
bool Transfer::run_step(const Ends &ends) {
    const auto unpack = [&](bool often) {
        for (Flow &flow : flows_)
            if (ends.takes(flow) && flow.link.has_few_senders() == often &&
                flow.link.unpack_one(flow.sink->buffer(flow.sink->frames)))
                return true;
        return false;
    };
    if (unpack(true))
        return true;
    for (Flow &flow : flows_)
        if (ends.source && flow.link.send_one(ends.source, false))
            return true;
    for (Flow &flow : flows_) {
        if (!ends.takes(flow))
            continue;
        const int64_t frame = flow.sink->frames;
        std::byte *const sink = flow.sink->buffer(frame);
        if (flow.link.copy_one(source_ ? source_->buffer(frame) : nullptr, sink) ||
            flow.link.pull_one(frame, sink))
            return true;
    }
    if (unpack(false))
        return true;
    for (Flow &flow : flows_)
        if (ends.source && flow.link.send_one(ends.source, true))
            return true;
    return false;
}

// Where nothing but messages is waited for, and of one kind: the transport knows best how. False where there is
// more to it.
bool Transfer::wait_for_messages(const Ends &ends) {
    Flow *to_send = nullptr, *to_receive = nullptr;
    for (Flow &flow : flows_) {
        if (ends.takes(flow) && flow.link.has_to_pull())
            return false;
        if (ends.takes(flow) && flow.link.has_to_receive())
            to_receive = &flow;
        if (ends.source && flow.link.has_to_send())
            to_send = &flow;
    }
    if (to_send && to_receive)
        return false;
    if (to_send) {
        const WaitMeter::Rest rest(waits_);
        to_send->link.wait_sends();
    }
    if (!to_receive)
        return true;
    try {
        to_receive->link.receive(to_receive->sink->buffer(to_receive->sink->frames), waits_);
    } catch (const PeerLeft &error) {
        fail_without(error.departure(), *to_receive);
    }
    return true;
}

void Transfer::run_frame(const Ends &ends) {
    for (Flow &flow : flows_)
        if (ends.takes(flow))
            flow.link.begin_sink();
    if (ends.source) {
        hand_over();
        for (Flow &flow : flows_)
            flow.link.begin_source(source_->frames);
        for (Flow &flow : flows_)
            flow.link.send_one(ends.source, false); // others wait for it
    }
    const auto is_left = [&](Flow &flow) {
        return (ends.source && flow.link.has_to_send()) ||
               (ends.takes(flow) && (flow.link.has_to_receive() || flow.link.has_to_pull()));
    };
    const bool crowded = transport_->crowded();
    for (Backoff wait(crowded);;) {
        if (run_step(ends)) {
            wait = Backoff(crowded);
            waits_.work();
            continue;
        }
        if (std::none_of(flows_.begin(), flows_.end(), is_left))
            return;
        if (wait_for_messages(ends))
            continue;
        for (const Flow &flow : flows_)
            if (const auto lost = ends.takes(flow) ? flow.link.lost_pull(flow.sink->frames) : std::nullopt)
                fail_without(*lost, flow);
        if (!pause(wait))
            continue;
        look();
        for (Flow &flow : flows_)
            if (ends.takes(flow))
                check_senders(flow); // who sends messages may have gone, too
    }
}

bool Transfer::sends_done() {
    bool done = true;
    for (Flow &flow : flows_)
        done = flow.link.sends_done() && done;
    return done;
}

// Large messages move only inside calls. Sinks that wait already get theirs at once if the source stays a little;
// those that are late must not hold it, so it stays at most as long again as the call has taken.
void Transfer::linger(Clock::time_point begin) {
    if (sends_done())
        return;
    const WaitMeter::Rest rest(waits_);
    const auto now = Clock::now();
    const bool crowded = transport_->crowded();
    for (const auto until = now + (now - begin); !sends_done() && Clock::now() < until;)
        if (crowded)
            sched_yield();
}

} // namespace dri
