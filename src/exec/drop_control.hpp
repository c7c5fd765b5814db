// Whether the frames of a source go to a sink that would rather miss one than hold the source back. The first
// process of the source decides, frame by frame and without waiting: a frame goes if fewer than two before it are
// on their way to some process of the sink. The sink's processes tell it what they have; it tells the source's
// other ones. So the flow has frames of its own, numbered from 0, of which all of its processes have the same.
// Allocates nothing after it is made.
#pragma once

#include "base/published.hpp"
#include "exec/control_channel.hpp"

#include <optional>
#include <vector>

namespace dri {

// A process's place in it.
struct DropPeers {
    bool drops = false;
    int first = -1;             // of the source, where this process is in the source or the sink
    std::vector<int> receivers; // the sink's processes, where this one is the source's first
    std::vector<int> others;    // the source's processes without the first, where this one is that
    int64_t depth = 1;          // verdicts that have memory at once
    bool in_source = false, in_sink = false;
    bool decides() const { return !receivers.empty(); }
};

// Of the source, or of the sink.
int64_t drop_staging_bytes(const DropPeers &peers, bool of_source);

class DropControl {
public:
    static constexpr int64_t frames_under_way = 2;

    DropControl() = default; // no frame is dropped
    // Takes two tags.
    DropControl(const DropPeers &peers, Transport &transport, int64_t tag);

    bool drops() const { return drops_; }
    int64_t workspace_bytes(bool of_source) const;

    // Source: a frame is to be decided upon. closes: it is the end of the stream, which always goes.
    void begin(bool closes) { has_to_decide_ = true, closes_ = closes; }
    bool has_to_decide() const { return has_to_decide_; }
    // Whether the frame goes, once that is known; it counts as decided then.
    std::optional<bool> decide();
    // The process whose verdict is waited for.
    std::optional<int> awaits() const;
    // How the first process has closed the stream, where this one has a frame after the end.
    const std::optional<Departure> &closed_before() const { return closed_before_; }
    // Frames decided upon, and those of them that go. Both without the end.
    int64_t decided() const { return decided_; }
    int64_t kept() const { return decided_ - dropped_; }
    int64_t dropped() const { return read_published(dropped_); } // by any thread
    void leave_source();

    // Sink: one more frame is whole. The first process hears of it at once, or by tell() once there is memory.
    void count_received();
    bool send_credit();
    bool has_to_send_credit() const { return credited_ < taken_; }
    void leave_sink();

private:
    // What one process of the sink has said.
    struct Receiver {
        ControlReceiver credits;
        int64_t taken = 0;
    };
    bool has_credit();
    std::optional<bool> receive_verdict();
    bool send_verdict(bool is_sent);

    bool drops_ = false, decides_ = false, has_to_decide_ = false, closes_ = false;
    int first_ = -1;
    int64_t decided_ = 0, dropped_ = 0, taken_ = 0, credited_ = 0;
    std::optional<Departure> closed_before_;
    std::vector<Receiver> receivers_;
    ControlSender verdicts_;  // to the others
    ControlReceiver verdict_; // from the first
    ControlSender credits_;   // to the first
};

} // namespace dri
