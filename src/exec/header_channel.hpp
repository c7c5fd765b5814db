// The way of the headers of one flow: from the first process of the source's group to every process of the sink,
// also to itself. The end of the stream is a header, too. Allocates nothing after it is made.
#pragma once

#include "exec/control_channel.hpp"
#include "exec/frame_header.hpp"

#include <optional>
#include <vector>

namespace dri {

// A process's place in it.
struct HeaderPeers {
    std::vector<int> to; // the sink's processes, where this one is the source's first
    int first = -1;      // of the source, where this process is in the source or the sink
    int64_t depth = 1;   // headers that have memory at once in the source, without that of the end
    bool in_sink = false;
    bool has_own = false; // this process is the source's first, and in the sink
};

// Of the source, or of the sink.
int64_t header_staging_bytes(const HeaderPeers &peers, bool of_source);

class HeaderChannel {
public:
    HeaderChannel() = default; // frames have no headers
    HeaderChannel(const HeaderPeers &peers, Transport &transport, int64_t tag);

    bool sends() const { return outgoing_.any(); }
    bool receives() const { return incoming_.any(); }
    bool has_own() const { return has_own_; }
    int64_t workspace_bytes(bool of_source) const;

    void begin_source(int64_t frame, bool closes);
    // Sends the header of the frame that has begun, to those who are still there, once there is memory for it.
    bool send(const FrameHeader &header);
    bool has_to_send() const { return has_to_send_; }
    // One that has not taken the header that has the memory of the one to send, which is of slots() frames
    // before.
    std::optional<int> blocking_receiver() const;
    int64_t slots() const { return outgoing_.slots() - 1; }

    void begin_sink();
    bool has_to_receive() const { return incoming_.expects(); }
    // Takes the header if it has come; or waits for it, and throws PeerLeft as Exchange does.
    bool receive(FrameHeader &header) { return receives() && incoming_.take(&header); }
    void wait(FrameHeader &header) { incoming_.wait(&header); }
    int first() const { return first_; } // of the source; -1: frames have no headers

    bool poll_departures();
    std::optional<Departure> all_receivers_left() const { return outgoing_.departures().of_all_receivers(); }
    std::optional<Departure> sender_left(int64_t frame) const { return incoming_.left(frame); }
    void leave_source(int64_t frames);
    void leave_sink(int64_t frames);

private:
    int first_ = -1;
    bool has_own_ = false;
    ControlSender outgoing_;
    ControlReceiver incoming_;
    int64_t slot_ = 0; // of the header of the frame that has begun
    bool has_to_send_ = false;
};

} // namespace dri
