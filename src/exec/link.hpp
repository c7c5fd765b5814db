// A link: what one process does between one source side and one sink side of a transfer. It holds the lanes in
// which data move, and the channel of frame headers. Nothing is allocated after it is made.
#pragma once

#include "exec/frame_header.hpp"
#include "exec/header_channel.hpp"
#include "exec/in_place_lane.hpp"
#include "exec/kernels.hpp"
#include "exec/lane.hpp"
#include "exec/lane_layout.hpp"
#include "exec/link_context.hpp"
#include "exec/message_lane.hpp"
#include "exec/offset_consensus.hpp"
#include "exec/pull_lane.hpp"
#include "exec/self_lane.hpp"
#include "flow/frames.hpp"
#include "plan/plan.hpp"
#include "transport/departures.hpp"
#include "transport/shared_source.hpp"
#include "transport/transport.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dri::exec {

// What direct reads of one flow need in addition to the plan.
struct DirectEndpoints {
    std::shared_ptr<transport::SharedSource> source = nullptr; // set if the plan has pullers
    int64_t first_puller = 0; // the number of the plan's first puller in `source`; the others follow
    std::vector<transport::SourceView> views = {}; // one per process that the plan pulls from, in the plan's order
    int64_t tile_bytes = 0;                        // memory for tiles of those whose buffers are not all shared
};

// All that a link is made from. layout: of the same plan.
struct LinkSpec {
    std::shared_ptr<const plan::Plan> plan;
    LinkLayout layout = {};
    DirectEndpoints direct = {};
    Teams teams = {};
    FirstBuffers first = {};
    int64_t tag = 0;
    HeaderChannel headers = {};
    int64_t every = 1, phase = 0; // the sink takes each frame whose number modulo `every` is `phase`
    bool drops = false;           // it drops frames
};

// What never changes.
struct LinkShape {
    flow::SourcePattern pattern{}; // which frames of the source move; with the dropped ones
    bool in_place = false;         // source and sink share their buffers
    bool own_part = false;         // this process's sink takes data or headers from its own source,
    bool copies_own = false;       // and some of that data move without a message
    bool has_outflow = false;      // other processes take from this process's source; messages to itself count
    bool has_inflow = false;       // its sink takes from other processes; messages from itself count
    bool has_messages = false;     // headers are messages, too
    bool sends_data = false;       // data move in messages, either way
    bool receives_data = false;    // they arrive in messages
    bool few_senders = true;       // as in ReceiveLane
};

// The addresses that the plan's offsets are added to: the frame's buffer, plus the offset of its window if one
// slides. Pads do not slide.
struct FrameOrigins {
    std::byte *source = nullptr, *sink = nullptr, *pads = nullptr;
};

// Departures count frames of the source: a process of the source those that it has handed over, a process of the
// sink those up to the last one that it has received. If the sink drops frames, they count those of the flow.
class Link {
public:
    // Uses the chooser only during this call.
    Link(LinkSpec spec, KernelChooser &chooser, transport::Transport &transport);

    const LinkShape &shape() const { return shape_; }
    const plan::Plan &plan() const { return *plan_; }
    HeaderChannel &headers() { return headers_; }
    const HeaderChannel &headers() const { return headers_; }
    const SelfLane &own() const { return own_; }
    const PullLane &pulls() const { return pulls_; }
    const Pullers &pullers() const { return pullers_; }
    // Text with one line per copy and its kernel.
    std::string explain(Of of) const;

    // Both start a frame; begin_sink() posts the receives. In place, the source's comes first. shift: the offset
    // of the sink's window in bytes.
    void begin_source(const FrameToSend &frame);
    void begin_sink(std::byte *buffer, int64_t shift);
    // The steps of a frame. Each does one thing if that is possible now, and returns whether it did.
    bool unpack_next();
    bool post_next(SendAhead ahead);
    // Pads; in place only when all messages are packed.
    bool fill_next() { return pads_.left() && fill_pad(); }
    // The own part. source: the origin of the frame whose strip is copied, which need not be the one that was
    // started. offset: of that frame's window, null if none slides. In place, once nothing is left to copy,
    // received pieces are moved to where they belong.
    bool copy_next(const std::byte *source, const WindowOffset *offset);
    bool pull_next(int64_t frame) { return pulls_.left() && pulls_.pull_next(frame, moving_.sink, consensus_); }
    // Whether steps of the frame are left. Headers count.
    bool left(Of of);
    SendLane &sends() { return sends_; }

    // Whom among some a frame waits for. blocking_receiver: a process that holds up messages or a header; while
    // they are held up, with `among` every receiver that has not left counts. pending_sender: one of whose
    // messages of the sink's frame, or its header, has not arrived.
    std::optional<BlockingReceiver> blocking_receiver(const Among &among = anybody) const;
    std::optional<int> pending_sender(const Among &among) const;
    // Two processes of the source with different window offsets for the sink's frame, as far as known.
    const std::optional<OffsetMismatch> &offset_mismatch() const { return consensus_.mismatch(); }

    // Collects departures of peers. False if this link exchanges no messages.
    bool poll_departures(transport::Look look);
    // If all processes that take from this source have left: the one that had the most frames.
    std::optional<transport::Departure> all_receivers_left() const;
    // A process that takes from this source and has reached the end of the stream.
    std::optional<transport::Departure> receiver_at_end() const;
    // In place: a process that takes from this one and has left before it had that frame.
    std::optional<transport::Departure> receiver_left(int64_t frame) const;
    // A process that has left and whose data of the sink's frame will not arrive. One that has ended the stream
    // only if there is no other. any_sender_left: false only if there is none; true of all flows with headers.
    bool any_sender_left() const { return pulls_.any_left() || receives_.any_left() || headers_.receives(); }
    std::optional<transport::Departure> sender_left(int64_t frame) const;
    // This process's sink has reached the end of the stream after so many frames, as departures count them. The
    // processes that it takes from are notified, and it takes no more.
    void report_end_of_stream(int64_t frames);
    // This process's source leaves after so many frames, as departures count them, or its sink after so many
    // arrays. The processes of the other side are notified. The memory of messages is freed as soon as they have
    // left.
    void leave_source(int64_t frames, transport::Leave how); // complete: the stream ends there, by a header
    void leave_sink(int64_t arrays);                         // notifies nobody after report_end_of_stream()

private:
    bool fill_pad();

    std::shared_ptr<const plan::Plan> plan_;
    flow::SourcePattern departures_; // from frames of the flow to those that departures count
    HeaderChannel headers_;
    LinkShape shape_;
    FrameOrigins moving_;     // of the frames that were started
    bool sink_ended_ = false; // by report_end_of_stream(), which has notified the senders
    SelfLane own_;
    PadLane pads_;
    PullLane pulls_;
    Pullers pullers_;
    SendLane sends_;
    ReceiveLane receives_;
    InPlaceLane in_place_;
    OffsetConsensus consensus_; // of the source's window, if it slides
};

} // namespace dri::exec
