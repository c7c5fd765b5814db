// The messages by which processes agree on the frames that a sink drops. The sink's processes report to the first
// process of the source which frames they have (credits). The first process decides for each frame, without
// waiting (flow/dropping.hpp), and sends its verdict to the other processes of the source. Therefore the flow
// counts its own frames from 0, and all its processes count the same ones. Nothing is allocated after it is made.
#pragma once

#include "exec/control_channel.hpp"
#include "exec/lane.hpp"
#include "exec/lane_layout.hpp"
#include "flow/dropping.hpp"
#include "transport/departures.hpp"
#include "transport/transport.hpp"

#include <optional>
#include <vector>

namespace dri::exec {

// Frames of the source that have staging; see flow::decide().
constexpr int64_t drop_frames_under_way = flow::frames_under_way;

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

// The words of a process before anything is made for them, with their memory. A process of the sink sends credits.
// The source's first process receives them from each process of the sink and sends verdicts, which its other
// processes receive.
struct DropLayout {
    bool drops = false;
    int first = -1; // as in DropPeers
    MessageLayout credits_sent = {}, verdicts_sent = {}, verdicts_received = {};
    std::vector<MessageLayout> credits_received = {}; // one per process of the sink
    int64_t bytes(Of of) const;
};
DropLayout drop_layout(const DropPeers &peers);

class DropControl {
public:
    DropControl() = default; // no frame is dropped
    // Uses two message tags, from `tag`.
    DropControl(const DropLayout &layout, transport::Transport &transport, int64_t tag);

    bool drops() const { return drops_; }

    bool decides() const { return !receivers_.empty(); } // this process is the source's first
    // Source: the decision on the frame that waits for one; no value while it is not known. Afterwards the ledger
    // counts the frame as decided. frame: its number at the source.
    std::optional<flow::DropVerdict> decide(flow::DropLedger &ledger, flow::SourceFrames frame);
    int first() const { return first_; }                                    // gives the verdicts
    void leave_source(flow::DropLedger &ledger, flow::SourceFrames frames); // decided, or up to the close

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
        flow::FlowFrames taken;
    };
    flow::DropVerdict ask_receivers(flow::FlowFrames kept);
    bool send_verdict(flow::FlowFrames frame, flow::DropVerdict decision);

    bool drops_ = false;
    int first_ = -1;
    int64_t taken_ = 0, credited_ = 0;
    std::vector<Receiver> receivers_;
    ControlSender verdicts_;  // to the other processes of the source
    ControlReceiver verdict_; // from the first process
    ControlSender credits_;   // to the first process
};

} // namespace dri::exec
