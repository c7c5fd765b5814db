// Frame headers as words of a control channel.
#include "exec/header_channel.hpp"

#include "base/checked.hpp"
#include "base/ring_slot.hpp"

namespace dri::exec {

namespace {

constexpr int64_t bytes_of_header = sizeof(FrameHeader);

// The close of a stream must not wait for a free slot, so it has one of its own: the last.
int64_t slots_for(const HeaderPeers &peers) { return checked_add(peers.depth, 1); }

} // namespace

HeaderLayout header_layout(const HeaderPeers &peers) {
    HeaderLayout layout{.first = peers.first, .has_own = peers.has_own};
    layout.sends = control_sends(peers.to, bytes_of_header, slots_for(peers));
    if (peers.in_sink)
        layout.receives = control_receives(peers.first, bytes_of_header);
    return layout;
}

HeaderChannel::HeaderChannel(const HeaderLayout &layout, transport::Transport &transport, int64_t tag)
    : first_(layout.first), has_own_(layout.has_own), outgoing_(layout.sends, transport, tag) {
    if (layout.receives.exchanges > 0)
        incoming_ = ControlReceiver(layout.receives, transport, tag);
}

void HeaderChannel::begin_source(int64_t frame, bool closes) {
    has_to_send_ = sends();
    if (has_to_send_)
        slot_ = closes ? slots() : ring_slot(frame, slots());
}

bool HeaderChannel::send(const FrameHeader &header) {
    if (!has_to_send_ || !outgoing_.send(slot_, &header))
        return false;
    has_to_send_ = false;
    return true;
}

std::optional<int> HeaderChannel::blocking_receiver() const {
    return has_to_send_ ? outgoing_.awaits(slot_) : std::nullopt;
}

void HeaderChannel::begin_sink() {
    if (receives())
        incoming_.expect();
}

bool HeaderChannel::poll_departures(transport::Look look) {
    if (receives())
        incoming_.poll_departures(look);
    else if (sends())
        outgoing_.poll_departures(look);
    return receives() || sends();
}

void HeaderChannel::leave_source(int64_t frames) {
    outgoing_.leave(frames);
    outgoing_.clear();
    has_to_send_ = false;
}

void HeaderChannel::leave_sink(int64_t frames) {
    incoming_.leave(frames);
    incoming_.clear();
}

} // namespace dri::exec
