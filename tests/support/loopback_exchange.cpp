// Exchanges between threads of one process: a send enters the receiver's list, and the receiver copies its bytes.
#include "support/loopback_exchange.hpp"

#include <algorithm>
#include <cstring>

namespace dri::test {

// Without send credits every message has its own staging slot from the start. With credits, send_data() assigns
// it.
LoopbackFlight::LoopbackFlight(std::shared_ptr<const transport::ExchangeLayout> of, LoopbackWorld &world, int from)
    : layout(std::move(of)), limits_sends(layout->spec.send_credits != transport::unlimited_credits),
      staging(layout->spec.sends, layout->spec.sends_at, layout->sends, world.size(), *world.memory),
      sends(layout->spec.sends.size()), source(from), tag(layout->spec.tag) {
    for (size_t i = 0; i < sends.size(); ++i) {
        sends[i].flight = this;
        sends[i].spec = layout->spec.sends[i];
        if (limits_sends)
            continue;
        staging.take(i);
        if (!staging.is_outside(i))
            sends[i].data = staging.data(i);
    }
}

LoopbackExchange::LoopbackExchange(std::shared_ptr<LoopbackWorld> world, int rank,
                                   std::shared_ptr<const transport::ExchangeLayout> layout)
    : world_(std::move(world)), rank_(rank), layout_(std::move(layout)), tag_(layout_->spec.tag),
      pooled_(layout_->spec.pooled), receives_(layout_->spec.receives, layout_->spec.receives_at,
                                               layout_->receives, world_->size(), *world_->memory),
      departures_(*layout_) {
    flight_.emplace_back(layout_, *world_, rank);
    std::map<int, std::vector<size_t>> messages;
    for (size_t i = 0; i < receives_.size(); ++i)
        messages[receives_.spec(i).peer].push_back(i);
    for (auto &[peer, of_peer] : messages)
        by_peer_.push_back({peer, std::move(of_peer), 0});
    LoopbackRank &here = world_->at(rank_);
    std::lock_guard lock(here.mutex);
    here.exchanges.insert(this);
}

// Receivers may still read messages that are under way. Their memory then stays with the rank until the last one
// is received.
LoopbackExchange::~LoopbackExchange() {
    LoopbackRank &here = world_->at(rank_);
    std::lock_guard lock(here.mutex);
    here.exchanges.erase(this);
    if (!flight_.front().under_way)
        return;
    flight_.front().retired = true;
    here.retired.splice(here.retired.end(), flight_);
}

void LoopbackExchange::post_receives() {
    if (receives_open_)
        fail(DRI_ERR_INTERNAL, "{} receives of the last frame are still open", receives_open_);
    receives_open_ = receives_.size();
    for (size_t i = 0; i < receives_.size(); ++i)
        receives_.give_back(i);
    for (PeerReceives &peer : by_peer_)
        peer.arrived = 0;
    next_in_order_ = 0;
    take_in_order();
}

// Pooled receives get their slots in the order of the messages, before they arrive. A message never takes the slot
// that an earlier one of the frame needs.
void LoopbackExchange::take_in_order() {
    while (pooled_ && next_in_order_ < receives_.size() && receives_.take(next_in_order_))
        ++next_in_order_;
}

bool LoopbackExchange::has_memory(size_t i) { return pooled_ ? receives_.has_slot(i) : receives_.take(i); }

void LoopbackExchange::release(size_t i) {
    receives_.give_back(i);
    take_in_order();
}

void LoopbackExchange::set_origin(std::byte *origin) {
    const std::lock_guard lock(world_->at(rank_).mutex);
    flight_.front().staging.set_origin(origin);
    receives_.set_origin(origin);
}

std::byte *LoopbackExchange::send_data(size_t i) {
    LoopbackFlight &flight = flight_.front();
    std::lock_guard lock(world_->at(rank_).mutex);
    if (!flight.staging.take(i))
        return nullptr;
    flight.sends[i].data = flight.staging.data(i);
    return flight.staging.data(i);
}

void LoopbackExchange::post_send(size_t i) {
    LoopbackSend &send = flight_.front().sends[i];
    {
        std::lock_guard lock(world_->at(rank_).mutex);
        if (send.posted)
            fail(DRI_ERR_INTERNAL, "message {} to process {} is still under way from the last frame", i,
                 send.spec.peer);
        send.posted = true;
        ++flight_.front().under_way;
    }
    LoopbackRank &there = world_->at(send.spec.peer);
    std::lock_guard lock(there.mutex);
    send.next = nullptr;
    (there.first ? there.last->next : there.first) = &send;
    there.last = &send;
    there.changed.notify_all();
}

LoopbackExchange::PeerReceives *LoopbackExchange::waiting_for(int peer) {
    const auto at = std::lower_bound(by_peer_.begin(), by_peer_.end(), peer,
                                     [](const PeerReceives &p, int rank) { return p.peer < rank; });
    if (at == by_peer_.end() || at->peer != peer || at->arrived == at->messages.size())
        return nullptr;
    return &*at;
}

// Unlinks the first message that a receive of this frame waits for and has memory for. The caller holds the lock.
LoopbackSend *LoopbackExchange::take_arrival() {
    LoopbackRank &here = world_->at(rank_);
    LoopbackSend *before = nullptr;
    for (LoopbackSend *send = here.first; send; before = send, send = send->next) {
        const PeerReceives *peer = send->flight->tag == tag_ ? waiting_for(send->flight->source) : nullptr;
        if (!peer || !has_memory(peer->messages[peer->arrived]))
            continue;
        (before ? before->next : here.first) = send->next;
        if (here.last == send)
            here.last = before;
        return send;
    }
    return nullptr;
}

int64_t LoopbackExchange::try_receive() {
    LoopbackSend *send = nullptr;
    if (receives_open_) {
        std::lock_guard lock(world_->at(rank_).mutex);
        send = take_arrival();
    }
    return send ? copy_arrival(*send) : -1;
}

int64_t LoopbackExchange::copy_arrival(LoopbackSend &send) {
    LoopbackFlight &flight = *send.flight;
    const int source = flight.source;
    const int64_t bytes = send.spec.bytes;
    PeerReceives &peer = *waiting_for(source);
    const size_t i = peer.messages[peer.arrived++];
    --receives_open_;
    const int64_t expected = receives_.spec(i).bytes;
    if (bytes == expected)
        std::memcpy(receives_.data(i), send.data, static_cast<size_t>(bytes));

    // The sender may reuse or free the message as soon as the lock is released.
    {
        LoopbackRank &there = world_->at(source);
        std::lock_guard lock(there.mutex);
        send.posted = false;
        if (flight.limits_sends)
            flight.staging.give_back(static_cast<size_t>(&send - flight.sends.data()));
        there.changed.notify_all(); // even if sends remain: they may be to peers that have left
        if (!--flight.under_way) {
            if (flight.retired)
                there.retired.remove_if([&](const LoopbackFlight &f) { return &f == &flight; });
        }
    }
    if (bytes != expected)
        fail(DRI_ERR_TRANSPORT, "process {} received a message of {} bytes from process {}, but expected {} bytes",
             rank_, bytes, source, expected);
    return static_cast<int64_t>(i);
}

// Messages to peers that have left do not count. The caller holds the lock.
std::optional<int> LoopbackExchange::untaken() const {
    const LoopbackFlight &flight = flight_.front();
    for (size_t i = 0; flight.under_way > 0 && i < flight.sends.size(); ++i)
        if (flight.sends[i].posted && departures_.takes(i))
            return flight.sends[i].spec.peer;
    return std::nullopt;
}

std::optional<int> LoopbackExchange::awaits() {
    std::lock_guard lock(world_->at(rank_).mutex);
    return untaken();
}

size_t LoopbackExchange::sends_under_way() {
    std::lock_guard lock(world_->at(rank_).mutex);
    const LoopbackFlight &flight = flight_.front();
    size_t staged = 0;
    for (size_t i = 0; i < flight.sends.size(); ++i)
        staged += flight.sends[i].posted && !flight.staging.is_outside(i);
    return staged;
}

bool LoopbackExchange::sends_done() {
    std::lock_guard lock(world_->at(rank_).mutex);
    return !untaken();
}

void LoopbackExchange::leave(int64_t frames, transport::Leave how) {
    const auto announce = [&](int peer, bool of_sender) {
        LoopbackRank &there = world_->at(peer);
        std::lock_guard lock(there.mutex);
        for (LoopbackExchange *exchange : there.exchanges)
            if (exchange->tag_ == tag_)
                exchange->departures_.note(rank_, {tag_, of_sender, frames, how});
        there.changed.notify_all();
    };
    for (const LoopbackSend &send : flight_.front().sends)
        announce(send.spec.peer, true);
    for (const PeerReceives &peer : by_peer_)
        announce(peer.peer, false);
}

} // namespace dri::test
