// A plan bound to kernels, prepared messages and the memory of other processes: what one process does between one
// source side and one sink side of a transfer. Allocates nothing after it is made.
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

namespace dri {

// What the direct way of one flow needs beside the plan.
struct DirectEndpoints {
    std::shared_ptr<SharedSource> source; // where the plan has pullers
    int64_t first_puller = 0;             // the number of the plan's first puller there; the others follow
    std::vector<SourceView> views;        // one for each process that the plan pulls from, in its order
};

// The threads of the ends that a process holds of a flow.
struct Teams {
    Team source, sink;
};

// This process's first buffers of a flow's ends, null where it has none, and whether the end has its kernels
// measured.
struct FirstBuffers {
    const std::byte *source = nullptr, *sink = nullptr;
    bool source_measures = false, sink_measures = false;
};

class Link {
public:
    // The chooser is needed no longer than this call.
    Link(std::shared_ptr<const Plan> plan, DirectEndpoints direct, const StagingBudget &budget, const Teams &teams,
         Chooser &chooser, const FirstBuffers &first, Transport &transport, int64_t tag,
         HeaderChannel headers = {});

    // Whether the sink of this process takes something from the source of this process.
    bool has_own_part() const { return has_own_part_ || headers_.has_own(); }
    // Whether some of that goes without a message.
    bool copies_own_part() const { return !self_.empty(); }
    // Whether other processes take from this one's source, or this one's sink from theirs; messages to itself
    // count.
    bool has_outflow() const { return !outgoing_.empty() || !plan_->pullers.empty() || headers_.sends(); }
    bool has_inflow() const { return incoming_ || !plan_->pulls.empty() || headers_.receives(); }
    bool has_messages() const {
        return incoming_ || !outgoing_.empty() || headers_.sends() || headers_.receives();
    }
    HeaderChannel &headers() { return headers_; }
    const HeaderChannel &headers() const { return headers_; }
    // Whether source and sink share their buffers. A sink's frame begins after the source's then.
    bool in_place() const { return in_place_ != nullptr; }
    // In place: one that takes messages of this process and has left before it had that frame.
    std::optional<Departure> receiver_left(int64_t frame) const;
    // Memory for messages of this process's source, or of its sink, headers among them.
    int64_t workspace_bytes(bool of_source) const;
    const Plan &plan() const { return *plan_; }

    // A frame of the sink comes in so many of the source. Frames are numbered by each end for itself.
    int64_t strips() const { return strips_; }
    // Of those of the sink's frame that moves: how many this process's own source needs no longer; from which one
    // the next piece of the own part is.
    int64_t copied_strips() const;
    int64_t next_own_strip() const { return next_own_strip_; }

    // A frame begins: of the source; of the sink, whose receives are posted. closes: it is a header alone, which
    // says that the stream is over. offset: where the source's is, until the frame is through; null where it does
    // not slide.
    void begin_source(int64_t frame, bool closes, const WindowOffset *offset = nullptr);
    void begin_sink();
    // The steps of a frame. Each does one thing and tells whether there was one to do now. Where a window slides,
    // source and sink are as far from their buffers as the window is from where it was planned.
    // Packs and posts the next message, if there is room for it, to those who are still there, once the messages
    // of the frame that had their places before are away. ahead: however many are under way. In place, the first
    // one may have to put the source's part in order.
    bool send_one(std::byte *source, bool ahead);
    // Unpacks a message that has come. To ask for one costs as much as there are senders.
    bool has_few_senders() const { return has_few_senders_; }
    // Of messages, beside the process that the headers come from.
    bool has_other_senders() const { return has_other_senders_; }
    bool unpack_one(std::byte *sink);
    // Fills the next pads that hold zeros; in place, when all is packed.
    bool fill_one(std::byte *sink_buffer);
    // Moves the next piece of the own part, which waits while the source is null, or, in place, brings what has
    // come from its places in order to where it belongs.
    bool copy_one(const std::byte *source, std::byte *sink);
    // Pulls from one that has handed the frame over, or the next strip of it, whoever it is.
    bool pull_one(int64_t frame, std::byte *sink);
    // What is left to do in the frame, its header included.
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
    // Unpacks the messages that are left in the order of their arrival; waits for them, after the header, unless
    // that says that the stream is over.
    void receive(std::byte *sink, FrameHeader *header, WaitMeter &waits);
    // Waits until send_one() may go on.
    void wait_sends();
    bool sends_done();
    // One that pulls from this source, is still there and lacks some of the first `frames` frames.
    std::optional<int> slowest_puller(int64_t frames) const;
    // One that the frame's messages, or its header, wait for: their memory holds what it has not taken.
    struct Blocked {
        int peer;
        int64_t frames_before; // it has not taken all up to the frame that is so many before this one
    };
    std::optional<Blocked> blocking_receiver() const;
    // One whose data of the sink's frame have not come.
    std::optional<int> pending_sender(int64_t frame) const;

    // Whether the own part's first copy is next; where the window of that frame is; where all that say so differ
    // so far.
    bool begins_own_part() const { return next_own_ == 0 && copies_own_part(); }
    void observe_offset_own(const WindowOffset &offset) { consensus_.observe(plan_->rank, offset.offset); }
    const std::optional<OffsetMismatch> &offset_mismatch() const { return consensus_.mismatch(); }

    // Looks for news of peers that have left; false where it exchanges no messages.
    bool poll_departures();
    // The last of the processes that take from this source, where all of them have left. Departures are told in
    // frames of the source.
    std::optional<Departure> all_receivers_left() const;
    // A process whose data of the sink's frame will not come. header_arrived: the frame's header has come, so who
    // has ended the stream before is one of them.
    std::optional<Departure> sender_left(int64_t frame, bool header_arrived) const;
    Departure of_source(Departure departure) const; // told in frames of the sink before
    // This process's sink has come to the end of the stream, after so many frames: those that it takes from are
    // told, and it takes no more.
    void finish_sink(int64_t frames);
    // A process that takes from this source and has come to the end of the stream.
    std::optional<Departure> receiver_at_end() const;
    // The same for pulls alone.
    std::optional<Departure> lost_pull(int64_t frame, bool header_arrived) const;
    // This process's source, or its sink, ends after so many of its frames: the processes at the other end are
    // told, and the memory of its messages goes as soon as they are away.
    void leave_source(int64_t frames, bool ended = false); // ended: by a header after those
    void leave_sink(int64_t frames);                       // unless its end is told

    // Lines of text, one per copy, with the kernels.
    std::string explain_source() const;
    std::string explain_sink() const;

private:
    bool has_messages_to_send();
    void prepare_in_place(const StagingBudget &budget, Transport &transport, int64_t tag);
    void unpack(int64_t i, std::byte *sink);
    void pull_from(size_t view, int64_t strip, int64_t frame, std::byte *sink);
    void observe_offset_message(size_t message, const std::byte *data);
    int64_t observe_offset_direct(size_t view, int64_t frame);
    bool scatter(std::byte *sink);
    size_t pull_at(size_t view, int64_t strip) const;
    std::optional<Departure> puller_left(size_t i) const; // who takes for this plan's i
    void skip_strips_without_copies();

    std::shared_ptr<const Plan> plan_;
    int64_t strips_ = 1;
    bool has_own_part_ = false, has_few_senders_ = true, has_other_senders_ = false;
    std::vector<TeamCopies> self_;               // one copy each, or all of a strip where threads share them
    std::vector<size_t> own_ends_;               // per strip: where it ends in self_
    std::vector<TeamCopies> packs_, unpacks_;    // one list per message
    std::vector<TeamCopies> pulls_;              // one list per pull
    std::vector<TeamRemoteCopies> remote_pulls_; // the same where the peer's buffers are not all shared
    AlignedBuffer scratch_;                      // of their tiles
    std::vector<int64_t> pulled_;                // per view: strips of this frame
    std::vector<char> to_unpack_;                // per message: this frame's is not done yet
    size_t left_to_pull_ = 0;
    std::vector<size_t> send_order_; // of messages
    // The steps that come next in this frame.
    size_t next_send_ = 0, end_send_ = 0, next_fill_ = 0, next_own_ = 0, next_pull_ = 0;
    int64_t next_own_strip_ = 0;
    Exchange *sending_ = nullptr; // where the frame's messages are packed
    bool may_send_ = false;       // what it sent before is away
    const WindowOffset *sending_offset_ = nullptr;
    OffsetConsensus consensus_; // where the source's window slides
    int64_t strip_ = 0;         // of the frame that is sent
    int64_t credit_frames_ = 0; // strips whose messages to a receiver have a place at once; 0: of no whole frame
    DirectEndpoints direct_;
    std::vector<std::unique_ptr<Exchange>> outgoing_;
    std::unique_ptr<Exchange> incoming_;
    HeaderChannel headers_;
    bool sink_ended_ = false;                // and that is told
    std::unique_ptr<InPlaceSteps> in_place_; // null: source and sink have buffers of their own
};

} // namespace dri
