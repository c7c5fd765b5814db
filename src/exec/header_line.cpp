#include "exec/header_line.hpp"

#include "base/checked.hpp"
#include "base/in_turn.hpp"

namespace dri {

namespace {

constexpr int64_t bytes_of_header = sizeof(FrameHeader);

// The end of a stream waits for nobody, so it has memory of its own.
int64_t places_of(const HeaderPeers &peers) { return checked_add(peers.depth, 1); }

} // namespace

int64_t header_room_bytes(const HeaderPeers &peers, bool of_source) {
    if (of_source)
        return WordSender::bytes_for(peers.to, bytes_of_header, places_of(peers));
    return peers.in_sink ? WordReceiver::bytes_for(peers.first, bytes_of_header) : 0;
}

HeaderLine::HeaderLine(const HeaderPeers &peers, Transport &transport, int64_t tag)
    : first_(peers.first), has_own_(peers.has_own),
      outgoing_(peers.to, bytes_of_header, places_of(peers), transport, tag) {
    if (peers.in_sink)
        incoming_ = WordReceiver(first_, bytes_of_header, transport, tag);
}

int64_t HeaderLine::workspace_bytes(bool of_source) const {
    return of_source ? outgoing_.memory_bytes() : incoming_.memory_bytes();
}

void HeaderLine::begin_source(int64_t frame, bool ends) {
    has_to_send_ = sends();
    if (has_to_send_)
        place_ = ends ? places() : in_turn(frame, places());
}

bool HeaderLine::send(const FrameHeader &header) {
    if (!has_to_send_ || !outgoing_.send(place_, &header))
        return false;
    has_to_send_ = false;
    return true;
}

std::optional<int> HeaderLine::holds_up() const { return has_to_send_ ? outgoing_.awaits(place_) : std::nullopt; }

void HeaderLine::begin_sink() {
    if (receives())
        incoming_.expect();
}

bool HeaderLine::look() {
    if (receives())
        incoming_.look();
    else if (sends())
        outgoing_.look();
    return receives() || sends();
}

void HeaderLine::leave_source(int64_t frames) {
    outgoing_.leave(frames);
    outgoing_.clear();
    has_to_send_ = false;
}

void HeaderLine::leave_sink(int64_t frames) {
    incoming_.leave(frames);
    incoming_.clear();
}

} // namespace dri
