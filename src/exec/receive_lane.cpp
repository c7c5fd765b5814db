// Receives messages and unpacks them in the order of their arrival.
#include "exec/message_lane.hpp"
#include "exec/message_text.hpp"
#include "exec/window.hpp"
#include "plan/plan.hpp"
#include "transport/departures.hpp"
#include "transport/exchange.hpp"

#include <algorithm>
#include <cstring>
#include <set>

namespace dri::exec {

namespace {

// With more senders than this, polling after each packed message costs too much time.
constexpr size_t few_senders = 16;

} // namespace

ReceiveLane::ReceiveLane(const LinkContext &context, const MessageLayout &layout)
    : plan_(context.plan), at_(layout.spec.receives_at), to_unpack_(plan_->receives.size(), 0) {
    const int64_t written = context.written(); // a sum over all messages
    unpacks_ = MessageCopies(plan_->receives, context.teams.sink, [&](const plan::Message &) {
        return context.bind(written, nullptr, context.first.sink, context.first.sink_measures);
    });
    std::set<int> senders;
    for (const plan::Message &m : plan_->receives)
        senders.insert(m.peer);
    has_few_senders_ = senders.size() <= few_senders;
    if (layout.exchanges > 0)
        exchange_ = std::move(layout.prepare(context.transport, context.tag).front());
}

void ReceiveLane::begin() {
    std::fill(to_unpack_.begin(), to_unpack_.end(), 1);
    if (exchange_)
        exchange_->post_receives();
}

int64_t ReceiveLane::try_receive() { return exchange_ && !ended_ ? exchange_->try_receive() : -1; }

std::optional<size_t> ReceiveLane::next_arrival() {
    const int64_t i = try_receive();
    return i < 0 ? std::nullopt : std::optional(static_cast<size_t>(i));
}

// The message's slot is free for the peer's next message as soon as it is unpacked. If a window slides, its offset
// is behind the data.
void ReceiveLane::unpack(size_t message, std::byte *sink, OffsetConsensus &consensus) {
    const std::byte *const data = exchange_->receive_data(message);
    if (plan_->note_bytes) {
        const plan::Message &m = plan_->receives[message];
        Dims offset;
        std::memcpy(&offset, data + m.bytes, sizeof offset);
        consensus.observe(m.peer, offset);
    }
    if (!transport::is_outside(at_, message))
        unpacks_.run(message, data, sink);
    exchange_->release(message);
    to_unpack_[message] = 0;
}

bool ReceiveLane::unpack_next(std::byte *sink, OffsetConsensus &consensus) {
    const int64_t i = try_receive();
    if (i < 0)
        return false;
    unpack(static_cast<size_t>(i), sink, consensus);
    return true;
}

std::optional<int> ReceiveLane::pending(const Among &among) const {
    for (size_t i = 0; i < to_unpack_.size(); ++i)
        if (to_unpack_[i] && among(plan_->receives[i].peer))
            return plan_->receives[i].peer;
    return std::nullopt;
}

std::optional<transport::Departure> ReceiveLane::lost_sender(int64_t frame) const {
    std::optional<transport::Departure> ended;
    for (size_t i = 0; i < unpacks_.size(); ++i) {
        const auto left = exchange_->departures().before(frame, i);
        if (left && !left->complete())
            return left;
        if (left && !ended)
            ended = left;
    }
    return ended;
}

void ReceiveLane::end(int64_t frames) {
    if (exchange_)
        exchange_->leave(frames, transport::Leave::complete); // may fail; leave() then notifies the senders
    ended_ = true;
}

void ReceiveLane::leave(int64_t frames) {
    if (exchange_ && !ended_)
        exchange_->leave(frames, transport::Leave::early);
    exchange_.reset();
}

std::string ReceiveLane::explain() const {
    return plan_ ? message_text("from", plan_->receives, unpacks_, plan_->in_place.has_value(), at_)
                 : std::string();
}

} // namespace dri::exec
