#include "exec/header_line.hpp"

#include "base/checked.hpp"

namespace dri {

namespace {

constexpr int64_t bytes_of_header = sizeof(FrameHeader);

// The end of a stream waits for nobody, so it has memory of its own.
int64_t places_of(const HeaderPeers &peers) { return checked_add(peers.depth, 1); }

} // namespace

int64_t header_room_bytes(const HeaderPeers &peers, bool of_source) {
    if (of_source)
        return WordSender::bytes_for(peers.to, bytes_of_header, places_of(peers));
    return peers.from < 0 ? 0 : WordReceiver::bytes_for(peers.from, bytes_of_header);
}

HeaderLine::HeaderLine(const HeaderPeers &peers, Transport &transport, int64_t tag)
    : from_(peers.from), has_own_(peers.has_own),
      outgoing_(peers.to, bytes_of_header, places_of(peers), transport, tag) {
    if (from_ >= 0)
        incoming_ = WordReceiver(from_, bytes_of_header, transport, tag);
}

int64_t HeaderLine::workspace_bytes(bool of_source) const {
    return of_source ? outgoing_.memory_bytes() : incoming_.memory_bytes();
}

void HeaderLine::begin_source(int64_t frame) {
    frame_ = frame;
    has_to_send_ = sends();
}

bool HeaderLine::send(const FrameHeader &header) {
    if (!has_to_send_ || !outgoing_.send(frame_, &header))
        return false;
    has_to_send_ = false;
    return true;
}

std::optional<int> HeaderLine::holds_up() const { return has_to_send_ ? outgoing_.awaits(frame_) : std::nullopt; }

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
