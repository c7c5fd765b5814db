// A link: what one process does between one source side and one sink side of a transfer. It binds a plan to
// kernels, prepared messages and the memory of other processes. Nothing is allocated after it is made.
#pragma once

#include "base/memory.hpp"
#include "exec/frame_times.hpp"
#include "exec/header_channel.hpp"
#include "exec/in_place_steps.hpp"
#include "exec/offset_consensus.hpp"
#include "exec/staging_budget.hpp"
#include "exec/team_copies.hpp"
#include "kernel/chooser.hpp"
#include "plan/plan.hpp"
#include "transport/shared_source.hpp"
#include "transport/transport.hpp"

#include <memory>
#include <vector>

namespace dri::exec {

// What direct reads of one flow need in addition to the plan.
struct DirectEndpoints {
    std::shared_ptr<transport::SharedSource> source; // set if the plan has pullers
    int64_t first_puller = 0; // the number of the plan's first puller in `source`; the others follow
    std::vector<transport::SourceView> views; // one per process that the plan pulls from, in the plan's order
};

// The threads of the source and of the sink that this process holds in a flow.
struct Teams {
    Team source, sink;
};

// The first buffers of this process's endpoints in a flow, null for an endpoint that it does not hold. The flags
// say whether the commit measures kernels for that endpoint.
struct FirstBuffers {
    const std::byte *source = nullptr, *sink = nullptr;
    bool source_measures = false, sink_measures = false;
};

class Link {
public:
    // Uses the chooser only during this call.
    Link(std::shared_ptr<const plan::Plan> plan, DirectEndpoints direct, const StagingBudget &budget,
         const Teams &teams, kernel::Chooser &chooser, const FirstBuffers &first, transport::Transport &transport,
         int64_t tag, HeaderChannel headers = {});

    // Whether this process's sink takes data or headers from its own source.
    bool has_own_part() const { return has_own_part_ || headers_.has_own(); }
    // Whether some of that data moves without a message.
    bool copies_own_part() const { return !self_.empty(); }
    // Whether other processes take from this process's source, or its sink takes from theirs. Messages to itself
    // count.
    bool has_outflow() const { return !outgoing_.empty() || !plan_->pullers.empty() || headers_.sends(); }
    bool has_inflow() const { return incoming_ || !plan_->pulls.empty() || headers_.receives(); }
    bool has_messages() const {
        return incoming_ || !outgoing_.empty() || headers_.sends() || headers_.receives();
    }
    HeaderChannel &headers() { return headers_; }
    const HeaderChannel &headers() const { return headers_; }
    // Whether source and sink share their buffers. Then a frame of the sink starts after that of the source.
    bool in_place() const { return in_place_ != nullptr; }
    // In place: a process that receives messages of this one and has left before it had that frame.
    std::optional<transport::Departure> receiver_left(int64_t frame) const;
    // Staging and scratch memory of this process's source, or of its sink. Includes headers.
    int64_t workspace_bytes(bool of_source) const;
    const plan::Plan &plan() const { return *plan_; }

    // Frames of the source that make up one frame of the sink. Each endpoint numbers its own frames.
    int64_t strips() const { return strips_; }
    // Two numbers of strips of the sink's moving frame. copied_strips: strips that the sink no longer needs from
    // this process's own source. next_own_strip: the strip that the next copy of the own part belongs to.
    int64_t copied_strips() const;
    int64_t next_own_strip() const { return next_own_strip_; }

    // Both start a frame; begin_sink() posts the receives. closes: the frame is a header alone and ends the
    // stream. offset: that of the source's window, valid until the frame is sent; null if the window does not
    // slide.
    void begin_source(int64_t frame, bool closes, const WindowOffset *offset = nullptr);
    void begin_sink();
    // The steps of a frame. Each does one thing if that is possible now, and returns whether it did. If a window
    // slides, `source` and `sink` are the planned addresses plus the window's offset.
    //
    // Packs and posts the next message to a process that is still there. False while earlier frames' messages are
    // in its slots. ahead: does so however many messages are under way. In place, the first call may have to put
    // the source's part in order.
    bool pack_and_send_one(std::byte *source, bool ahead);
    // Polling for a message costs time for each sender.
    bool has_few_senders() const { return has_few_senders_; }
    // Unpacks a message that has arrived.
    bool unpack_one(std::byte *sink);
    // Fills the next pad with zeros; in place only when all messages are packed.
    bool fill_one(std::byte *sink_buffer);
    // Copies the next piece of the own part. A null source means that its frame is not there yet. In place
    // instead, the received pieces are moved from their arranged offsets to where they belong.
    bool copy_one(const std::byte *source, std::byte *sink);
    // Pulls from any peer that has handed over this frame, or the next strip of it.
    bool pull_one(int64_t frame, std::byte *sink);
    // What is left to do in the frame. Headers count as messages.
    bool has_to_send();
    bool has_to_copy() const {
        return next_fill_ < plan_->zeros.size() || next_own_ < self_.size() ||
               (in_place_ && in_place_->has_to_scatter());
    }
    bool has_to_receive() const {
        return (incoming_ && (incoming_->receives_open() || (in_place_ && in_place_->holds_any()))) ||
               headers_.has_to_receive();
    }
    bool has_to_pull() const { return left_to_pull_ > 0; }
    bool sends_done();
    // A process that pulls from this source, is still there and has not taken all of the first `frames` frames.
    std::optional<int> lagging_puller(int64_t frames) const;
    // A process that holds up the frame's messages or header: it has not taken earlier ones, which still fill the
    // slots.
    struct BlockingReceiver {
        int peer;
        int64_t frames_before; // f - frames_before: the frame up to which it has not taken all; f: this frame
    };
    std::optional<BlockingReceiver> blocking_receiver() const;
    // A process whose data of the sink's frame have not arrived.
    std::optional<int> pending_sender(int64_t frame) const;

    // begins_own_part: the next copy is the first of the own part; the frame's offset must be observed before it.
    // offset_mismatch: two processes of the source with different offsets for the sink's frame, as far as known.
    bool begins_own_part() const { return next_own_ == 0 && copies_own_part(); }
    void observe_offset_own(const WindowOffset &offset) { consensus_.observe(plan_->rank, offset.offset); }
    const std::optional<OffsetMismatch> &offset_mismatch() const { return consensus_.mismatch(); }

    // Collects departures of peers. False if this link exchanges no messages.
    bool poll_departures();
    // If all processes that take from this source have left: the one that had the most frames. Departures count
    // frames of the source.
    std::optional<transport::Departure> all_receivers_left() const;
    // A process that has left and whose data of the sink's frame will not arrive. header_arrived: the frame
    // exists, so a process that ended the stream before it counts, too.
    std::optional<transport::Departure> sender_left(int64_t frame, bool header_arrived) const;
    transport::Departure
    of_source(transport::Departure departure) const; // converts a departure from frames of the sink
    // This process's sink has reached the end of the stream after so many frames. The processes that it takes from
    // are notified, and it takes no more.
    void report_end_of_stream(int64_t frames);
    // A process that takes from this source and has reached the end of the stream.
    std::optional<transport::Departure> receiver_at_end() const;
    // As sender_left(), but only for pulls.
    std::optional<transport::Departure> lost_pull(int64_t frame, bool header_arrived) const;
    // This process's source or sink leaves after so many of its frames. The processes of the other side are
    // notified. The memory of messages is freed as soon as they have left.
    void leave_source(int64_t frames, bool ended = false); // ended: the stream ends there, by a header
    void leave_sink(int64_t frames);                       // notifies nobody after report_end_of_stream()

    // Text with one line per copy and its kernel.
    std::string explain_source() const;
    std::string explain_sink() const;

private:
    bool has_messages_to_send();
    void prepare_in_place(const StagingBudget &budget, transport::Transport &transport, int64_t tag);
    void unpack(int64_t i, std::byte *sink);
    void pull_from(size_t view, int64_t strip, int64_t frame, std::byte *sink);
    void observe_offset_message(size_t message, const std::byte *data);
    int64_t observe_offset_direct(size_t view, int64_t frame);
    bool scatter(std::byte *sink);
    size_t pull_at(size_t view, int64_t strip) const;
    std::optional<transport::Departure> puller_left(size_t i) const; // of the plan's puller i
    void skip_strips_without_copies();

    std::shared_ptr<const plan::Plan> plan_;
    int64_t strips_ = 1;
    bool has_own_part_ = false, has_few_senders_ = true;
    std::vector<TeamCopies> self_;               // one list per copy, or one per strip if threads share its copies
    std::vector<size_t> own_ends_;               // per strip: its end in self_
    std::vector<TeamCopies> packs_, unpacks_;    // one list per message
    std::vector<TeamCopies> pulls_;              // one list per pull
    std::vector<TeamRemoteCopies> remote_pulls_; // the same, for peers whose buffers are not all shared
    AlignedBuffer scratch_;                      // for tiles of remote pulls
    std::vector<int64_t> pulled_;                // per view: strips of this frame that are pulled
    std::vector<char> to_unpack_;                // per message: not unpacked yet in this frame
    size_t left_to_pull_ = 0;
    std::vector<size_t> send_order_; // indices of messages
    // The next step of each kind in this frame.
    size_t next_send_ = 0, end_send_ = 0, next_fill_ = 0, next_own_ = 0, next_pull_ = 0;
    int64_t next_own_strip_ = 0;
    transport::Exchange *sending_ = nullptr; // the exchange of the frame that is being sent
    bool may_send_ = false;                  // earlier messages in this exchange's slots have left
    const WindowOffset *sending_offset_ = nullptr;
    OffsetConsensus consensus_; // of the source's window, if it slides
    int64_t strip_ = 0;         // strip of the sink's frame that is being sent
    int64_t credit_frames_ = 0; // strips whose messages to a receiver have slots at once; 0: less than one frame
    DirectEndpoints direct_;
    std::vector<std::unique_ptr<transport::Exchange>> outgoing_;
    std::unique_ptr<transport::Exchange> incoming_;
    HeaderChannel headers_;
    bool sink_ended_ = false;                // by report_end_of_stream(), which has notified the senders
    std::unique_ptr<InPlaceSteps> in_place_; // null: source and sink have separate buffers
};

} // namespace dri::exec
