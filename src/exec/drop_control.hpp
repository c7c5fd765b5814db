// Decides whether a frame of a source is sent to a sink that drops frames instead of holding the source back. The
// first process of the source decides for each frame, without waiting. A frame is sent if fewer than two earlier
// frames are under way to any process of the sink. The sink's processes report to the first process which frames
// they have (credits). The first process sends its verdict to the other processes of the source. Therefore the
// flow counts its own frames from 0, and all its processes count the same ones. Nothing is allocated after it is
// made.
#pragma once

#include "base/published.hpp"
#include "exec/control_channel.hpp"
#include "exec/lane.hpp"
#include "transport/departures.hpp"
#include "transport/transport.hpp"

#include <optional>
#include <vector>

namespace dri::exec {

// The roles of a process.
struct DropPeers {
    bool drops = false;
    int first = -1;             // the source's first process; set if this process is in the source or the sink
    std::vector<int> receivers; // the sink's processes, if this process is the source's first
    std::vector<int> others;    // the source's processes except the first, if this process is the first
    int64_t depth = 1;          // slots for verdicts
    bool in_source = false, in_sink = false;
    bool decides() const { return !receivers.empty(); }
};

// Bytes of staging for the words of the source, or of the sink.
int64_t drop_staging_bytes(const DropPeers &peers, Of of);

class DropControl {
public:
    static constexpr int64_t frames_under_way = 2;

    DropControl() = default; // no frame is dropped
    // Uses two message tags, from `tag`.
    DropControl(const DropPeers &peers, transport::Transport &transport, int64_t tag);

    bool drops() const { return drops_; }
    int64_t bytes(Of of) const;

    // Source: a frame needs a verdict. closes: it is the end of the stream, which is always sent.
    void begin(bool closes) { has_to_decide_ = true, closes_ = closes; }
    bool has_to_decide() const { return has_to_decide_; }
    // Whether the frame is sent; no value while that is not known. Afterwards the frame counts as decided.
    std::optional<bool> decide();
    // The process whose verdict is missing.
    std::optional<int> awaits() const;
    // After how many frames the first process closed the stream, if this process has a frame after that.
    const std::optional<transport::Departure> &closed_before() const { return closed_before_; }
    // Frames that were decided, and those of them that are sent. The end of the stream does not count.
    int64_t decided() const { return decided_; }
    int64_t kept() const { return decided_ - dropped_; }
    int64_t dropped() const { return dropped_.read(); } // for any thread
    void leave_source();

    // Sink: one more frame is whole. Reports it to the first process at once, or by send_credit() once a slot is
    // free.
    void count_received();
    bool send_credit();
    bool has_to_send_credit() const { return credited_ < taken_; }
    void leave_sink();

private:
    // What one process of the sink has reported.
    struct Receiver {
        ControlReceiver credits;
        int64_t taken = 0;
    };
    bool has_credit();
    std::optional<bool> receive_verdict();
    bool send_verdict(bool is_sent);

    bool drops_ = false, decides_ = false, has_to_decide_ = false, closes_ = false;
    int first_ = -1;
    int64_t decided_ = 0, taken_ = 0, credited_ = 0;
    Published<int64_t> dropped_ = 0;
    std::optional<transport::Departure> closed_before_;
    std::vector<Receiver> receivers_;
    ControlSender verdicts_;  // to the other processes of the source
    ControlReceiver verdict_; // from the first process
    ControlSender credits_;   // to the first process
};

} // namespace dri::exec
