// The lanes of data that move in messages: one packs and sends, the other one receives and unpacks.
#pragma once

#include "exec/lane.hpp"
#include "exec/lane_layout.hpp"
#include "exec/link_context.hpp"
#include "exec/message_copies.hpp"
#include "exec/offset_consensus.hpp"
#include "plan/plan.hpp"
#include "transport/departures.hpp"
#include "transport/exchange.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace dri::exec {

class SendLane {
public:
    SendLane() = default;
    SendLane(const LinkContext &context, const SendLayout &layout);

    bool any() const { return !exchanges_.empty(); }
    void begin(const FrameToSend &frame);
    bool left() { return next_ < end_ && (!departures_->any() || skip_departed()); }
    // Packs and posts the next message to a process that is still there. False while earlier frames' messages are
    // in its slots. With SendAhead::few, also false while some messages are under way and the next one is packed.
    // Returns whether it posted one.
    bool post_next(std::byte *source, SendAhead ahead);
    // Messages of the frame that are packed or left out. Their bytes in the buffer may be overwritten.
    size_t packed() const { return next_; }
    // Whether messages of the frame may still be read from the buffer. lets_go: notes that they no longer are, and
    // returns whether that is new. Makes progress on them.
    bool holds_buffer() const { return holds_buffer_; }
    bool lets_go();
    // Whether a message is left that is short, or not packed and one of the first. If it is sent before others are
    // looked for, no peer waits for it while this process looks: in a look MPI copies all long messages that it
    // finds.
    bool next_is_quick() const;
    // Whether some message of a frame may leave only while both processes look.
    bool stays_to_send() const { return stays_to_send_; }
    // Whether all posted messages have left. Makes progress on them.
    bool done();
    std::string explain() const;

    std::optional<BlockingReceiver> blocking_receiver() const;
    // A process that messages go to and that has not left.
    std::optional<int> receiver(const Among &among) const;
    void poll_departures(transport::Look look) { exchanges_.front()->poll_departures(look); }
    const transport::Departures &departures() const { return exchanges_.front()->departures(); }
    // The first receiver that left before it had that frame of the sink.
    std::optional<transport::Departure> receiver_left(int64_t frame) const;
    // The source leaves after so many frames, as departures count them: see Link.
    void leave(int64_t frames, transport::Leave how);

private:
    size_t next_message() const { return order_.empty() ? next_ : order_[next_]; }
    bool is_packed(size_t message) const { return !transport::is_outside(at_, message); }
    bool skip_departed();

    std::shared_ptr<const plan::Plan> plan_;
    int64_t strips_ = 1;
    MessageCopies packs_;
    std::vector<uint32_t> order_; // in which messages are posted; empty: as in the plan
    std::vector<int64_t> at_;     // as in transport::ExchangeSpec
    std::vector<std::unique_ptr<transport::Exchange>> exchanges_;
    int64_t credit_frames_ = 0; // as in SendLayout
    bool pooled_ = false;       // receivers share slots
    bool stays_to_send_ = false;
    // The frame that is being sent.
    transport::Exchange *sending_ = nullptr;
    const transport::Departures *departures_ = nullptr; // of `sending_`
    const WindowOffset *offset_ = nullptr;
    int64_t strip_ = 0; // of the sink's frame
    size_t next_ = 0, end_ = 0;
    bool may_send_ = false; // earlier messages in this exchange's slots have left
    bool holds_buffer_ = false;
};
static_assert(SourceLane<SendLane>);

class ReceiveLane {
public:
    ReceiveLane() = default;
    ReceiveLane(const LinkContext &context, const MessageLayout &layout);

    bool any() const { return exchange_ != nullptr; }
    // Whether polling for a message is cheap. It costs time for each sender.
    bool has_few_senders() const { return has_few_senders_; }
    void set_origin(std::byte *sink) { // of the frame that begins next
        if (!at_.empty())
            exchange_->set_origin(sink);
    }
    void begin(); // posts the receives
    bool left() const { return exchange_ && exchange_->receives_open(); }
    // A message that has arrived. It stays in its slot until unpack().
    std::optional<size_t> next_arrival();
    void unpack(size_t message, std::byte *sink, OffsetConsensus &consensus);
    // Both together. Returns whether there was a message.
    bool unpack_next(std::byte *sink, OffsetConsensus &consensus);
    std::string explain() const;

    // Whether a message of this frame is not unpacked yet, and its sender.
    size_t size() const { return to_unpack_.size(); }
    bool awaits(size_t message) const { return to_unpack_[message]; }
    int sender(size_t message) const { return plan_->receives[message].peer; }
    std::optional<int> pending(const Among &among = anybody) const;
    void poll_departures(transport::Look look) { exchange_->poll_departures(look); }
    // A process that has left before it had that frame, as departures count them. Which one: as in PullLane.
    std::optional<transport::Departure> lost(int64_t frame) const {
        return any_left() ? lost_sender(frame) : std::nullopt;
    }
    bool any_left() const { return exchange_ && exchange_->departures().any(); } // almost always none
    // The sink has reached the end of the stream (end), or leaves (leave), after so many frames.
    void end(int64_t frames);
    void leave(int64_t frames);

private:
    int64_t try_receive(); // as in transport::Exchange
    std::optional<transport::Departure> lost_sender(int64_t frame) const;

    std::shared_ptr<const plan::Plan> plan_;
    MessageCopies unpacks_;
    std::vector<int64_t> at_;     // as in transport::ExchangeSpec
    std::vector<char> to_unpack_; // per message: not unpacked yet in this frame
    std::unique_ptr<transport::Exchange> exchange_;
    bool has_few_senders_ = true, ended_ = false;
};
static_assert(SinkLane<ReceiveLane>);

} // namespace dri::exec
