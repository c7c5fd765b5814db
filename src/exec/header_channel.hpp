// The channel for the headers of one flow: from the first process of the source's group to every process of the
// sink, also to itself. The close of a stream is a header, too. Nothing is allocated after it is made.
#pragma once

#include "exec/control_channel.hpp"
#include "exec/frame_header.hpp"
#include "exec/lane.hpp"
#include "exec/lane_layout.hpp"
#include "transport/departures.hpp"
#include "transport/transport.hpp"

#include <optional>
#include <vector>

namespace dri::exec {

// The roles of a process.
struct HeaderPeers {
    std::vector<int> to; // the sink's processes, if this process is the source's first
    int first = -1;      // the source's first process; set if this process is in the source or the sink
    int64_t depth = 1;   // slots for headers at the source, without that of the close
    bool in_sink = false;
    bool has_own = false; // this process is the source's first and is in the sink
};

// The channel of a process before it is made, with its memory.
struct HeaderLayout {
    int first = -1; // as in HeaderPeers
    bool has_own = false;
    MessageLayout sends = {}, receives = {};
    int64_t bytes(Of of) const { return of == Of::source ? sends.bytes() : receives.bytes(); }
};
HeaderLayout header_layout(const HeaderPeers &peers);

class HeaderChannel {
public:
    HeaderChannel() = default; // frames have no headers
    HeaderChannel(const HeaderLayout &layout, transport::Transport &transport, int64_t tag);

    bool sends() const { return outgoing_.any(); }
    bool receives() const { return incoming_.any(); }
    bool has_own() const { return has_own_; }

    void begin_source(int64_t frame, bool closes);
    // Sends the header of the frame that was started, to all receivers that are still there. False while its slot
    // is not free.
    bool send(const FrameHeader &header);
    bool has_to_send() const { return has_to_send_; }
    // A receiver that still holds the slot needed for this header. The slot's old header is that of slots() frames
    // ago.
    std::optional<int> blocking_receiver() const;
    std::optional<int> receiver(const Among &among) const { return outgoing_.receiver(among); } // as in SendLane
    int64_t slots() const { return outgoing_.slots() - 1; }

    void begin_sink();
    bool has_to_receive() const { return incoming_.expects(); }
    // Takes the header if it has arrived.
    bool receive(FrameHeader &header) { return receives() && incoming_.take(&header); }
    int first() const { return first_; } // the source's first process; -1: frames have no headers

    bool poll_departures(transport::Look look);
    std::optional<transport::Departure> all_receivers_left() const {
        return outgoing_.departures().of_all_receivers();
    }
    std::optional<transport::Departure> sender_left(int64_t frame) const { return incoming_.left(frame); }
    void leave_source(int64_t frames);
    void leave_sink(int64_t frames);

private:
    int first_ = -1;
    bool has_own_ = false;
    ControlSender outgoing_;
    ControlReceiver incoming_;
    int64_t slot_ = 0; // of the header of the frame that was started
    bool has_to_send_ = false;
};

} // namespace dri::exec
