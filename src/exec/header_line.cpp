#include "exec/header_line.hpp"

#include "base/checked.hpp"
#include "base/in_turn.hpp"
#include "transport/staging.hpp"

#include <cstring>

namespace dri {

namespace {

constexpr int64_t receive_window = 1; // one is received at a time

std::vector<Slot> slots_to(const std::vector<int> &peers) {
    std::vector<Slot> slots;
    for (const int peer : peers)
        slots.push_back({peer, sizeof(FrameHeader)});
    return slots;
}

std::vector<Slot> slot_from(int peer) { return {{peer, sizeof(FrameHeader)}}; }

// The end of a stream waits for nobody, so it has memory of its own.
int64_t places_of(const HeaderPeers &peers) { return checked_add(peers.depth, 1); }

} // namespace

int64_t header_room_bytes(const HeaderPeers &peers, bool of_source) {
    if (of_source)
        return checked_mul(Staging::bytes_for(slots_to(peers.to), Staging::Share::alike, Transport::no_window),
                           places_of(peers));
    return peers.from < 0 ? 0
                          : Staging::bytes_for(slot_from(peers.from), Staging::Share::per_peer, receive_window);
}

HeaderLine::HeaderLine(const HeaderPeers &peers, Transport &transport, int64_t tag)
    : from_(peers.from), has_own_(peers.has_own), receivers_(peers.to.size()) {
    const auto to = slots_to(peers.to);
    for (int64_t i = 0; !to.empty() && i < places_of(peers); ++i)
        outgoing_.push_back(transport.prepare(to, {}, tag));
    if (from_ >= 0)
        incoming_ = transport.prepare({}, slot_from(from_), tag, receive_window);
}

int64_t HeaderLine::workspace_bytes(bool of_source) const {
    if (!of_source)
        return incoming_ ? incoming_->memory_bytes() : 0;
    int64_t bytes = 0;
    for (const auto &exchange : outgoing_)
        bytes += exchange->memory_bytes();
    return bytes;
}

void HeaderLine::begin_source(int64_t frame) {
    if (!outgoing_.empty())
        sending_ = outgoing_[static_cast<size_t>(in_turn(frame, std::ssize(outgoing_)))].get();
}

bool HeaderLine::send(const FrameHeader &header) {
    if (!sending_ || !sending_->sends_done())
        return false;
    for (size_t i = 0; i < receivers_; ++i) {
        if (!sending_->departures().takes(i))
            continue;
        std::memcpy(sending_->send_data(i), &header, sizeof(header));
        sending_->post_send(i);
    }
    sending_ = nullptr;
    return true;
}

std::optional<int> HeaderLine::holds_up() const { return sending_ ? sending_->awaits() : std::nullopt; }

void HeaderLine::begin_sink() {
    if (incoming_)
        incoming_->post_receives();
}

void HeaderLine::take(FrameHeader &header) {
    std::memcpy(&header, incoming_->receive_data(0), sizeof(header));
    incoming_->release(0);
}

bool HeaderLine::receive(FrameHeader &header) {
    if (!incoming_ || incoming_->try_receive() < 0)
        return false;
    take(header);
    return true;
}

void HeaderLine::wait(FrameHeader &header) {
    if (incoming_->wait_receive() >= 0)
        take(header);
}

bool HeaderLine::look() {
    if (!incoming_ && outgoing_.empty())
        return false;
    (incoming_ ? *incoming_ : *outgoing_.front()).look();
    return true;
}

std::optional<Departure> HeaderLine::all_receivers_left() const {
    return outgoing_.front()->departures().of_all_receivers();
}

std::optional<Departure> HeaderLine::sender_left(int64_t frame) const {
    return incoming_ && incoming_->departures().any() ? incoming_->departures().before(frame, 0) : std::nullopt;
}

void HeaderLine::leave_source(int64_t frames) {
    if (!outgoing_.empty())
        outgoing_.front()->leave(frames);
    sending_ = nullptr;
    outgoing_.clear();
}

void HeaderLine::leave_sink(int64_t frames) {
    if (incoming_)
        incoming_->leave(frames);
    incoming_.reset();
}

} // namespace dri
