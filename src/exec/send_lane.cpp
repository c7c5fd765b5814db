// Packs messages and sends them.
#include "base/quotient.hpp"
#include "base/ring_slot.hpp"
#include "exec/message_lane.hpp"
#include "exec/message_text.hpp"
#include "exec/window.hpp"
#include "plan/plan.hpp"
#include "transport/departures.hpp"
#include "transport/exchange.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace dri::exec {

namespace {

// While there is other work, no further message is packed if this many are under way. They are few enough to stay
// in cache, and enough that sending goes on until the peers poll again.
constexpr size_t enough_under_way = 3;

// MPI has memory for about so many short messages of a process at a time. Others leave while it looks for them.
constexpr size_t max_sent_at_once = 32;

// So many messages that are not packed are posted before others are looked for. With more of them MPI takes longer
// for each. As chunks of 256 KB they are 64 MB.
constexpr size_t max_posted_at_once = 256;

// Packing so much takes a few microseconds, as long as to look for messages where cores are shared.
constexpr int64_t short_message_bytes = 32768;

std::vector<uint32_t> order_in_plan(const std::vector<plan::Message> &messages) {
    std::vector<uint32_t> order(messages.size());
    std::iota(order.begin(), order.end(), uint32_t{0});
    return order;
}

// Within each strip, one message to each peer, then the next one to each. No peer then waits until all messages of
// another one are sent.
std::vector<uint32_t> round_robin(const plan::Plan &plan) {
    const std::vector<plan::Message> &messages = plan.sends;
    std::vector<uint32_t> order = order_in_plan(messages);
    std::vector<size_t> round(messages.size(), 0);
    size_t first = 0;
    for (int64_t k = 0; k < plan::count_strips(plan); ++k) {
        const size_t end = plan::strip_end(plan, k).sends;
        for (size_t i = first + 1; i < end; ++i) // the messages of a peer follow each other
            round[i] = messages[i].peer == messages[i - 1].peer ? round[i - 1] + 1 : 0;
        std::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(first),
                         order.begin() + static_cast<std::ptrdiff_t>(end),
                         [&](uint32_t a, uint32_t b) { return round[a] < round[b]; });
        first = end;
    }
    return order;
}

// First what is sent from the buffer, to all peers: it takes no time, and they need not wait until messages to
// others are packed. Nothing overtakes a packed message to the same peer, because that one may still wait for a
// slot there. The order is free: a source that is sent from is not overwritten in the frame.
std::vector<uint32_t> unpacked_first(const std::vector<plan::Message> &messages, const std::vector<int64_t> &at) {
    std::vector<uint32_t> order = order_in_plan(messages);
    std::vector<bool> leads;
    for (size_t i = 0; i < messages.size(); ++i)
        leads.push_back(transport::is_outside(at, i) &&
                        (i == 0 || messages[i - 1].peer != messages[i].peer || leads[i - 1]));
    std::stable_partition(order.begin(), order.end(), [&](uint32_t i) { return leads[i]; });
    return order;
}

// Empty: the plan's.
std::vector<uint32_t> order_of(const plan::Plan &plan, const SendLayout &layout) {
    if (layout.round_robin)
        return round_robin(plan);
    const std::vector<int64_t> &at = layout.messages.spec.sends_at;
    return at.empty() ? std::vector<uint32_t>() : unpacked_first(plan.sends, at);
}

} // namespace

// Every message begins at a cache line, so a null address stands for all of them. A packed message is read again
// at once: it counts only its own bytes.
SendLane::SendLane(const LinkContext &context, const SendLayout &layout)
    : plan_(context.plan), strips_(plan::count_strips(*plan_)), order_(order_of(*plan_, layout)),
      at_(layout.messages.spec.sends_at), credit_frames_(layout.credit_frames),
      pooled_(layout.messages.spec.pooled) {
    packs_ = MessageCopies(plan_->sends, context.teams.source, [&](const plan::Message &m) {
        return context.bind(m.bytes, context.first.source, nullptr, context.first.source_measures);
    });
    exchanges_ = layout.messages.prepare(context.transport, context.tag);
    const bool any_long = std::any_of(plan_->sends.begin(), plan_->sends.end(),
                                      [](const plan::Message &m) { return m.bytes > sent_at_once; });
    const auto strips = static_cast<size_t>(strips_); // a call sends one of them
    stays_to_send_ = any_long || packs_.size() > max_sent_at_once * strips;
}

// All strips of one frame of the sink share an exchange. Its first strip waits (may_send_) until all earlier
// messages of that exchange have left.
void SendLane::begin(const FrameToSend &frame) {
    offset_ = frame.offset;
    if (exchanges_.empty())
        return;
    // Reports the close at once: a sink that expects a frame of this process need not wait until the source is
    // destroyed. A stream has no strips.
    if (frame.closes)
        return exchanges_.front()->leave(frame.number, transport::Leave::complete);
    const int64_t whole = quotient(frame.number, strips_);
    strip_ = ring_slot(frame.number, strips_);
    sending_ = exchanges_[static_cast<size_t>(ring_slot(whole, std::ssize(exchanges_)))].get();
    departures_ = &sending_->departures();
    if (strip_ == 0)
        next_ = 0;
    end_ = strips_ == 1 ? packs_.size() : plan_->strips[static_cast<size_t>(strip_)].sends;
    may_send_ = may_send_ && strip_ > 0;
    if (at_.empty())
        return;
    sending_->set_origin(frame.origin);
    holds_buffer_ = true;
}

// Skips messages to processes that have left. Returns whether any other one is left.
bool SendLane::skip_departed() {
    while (next_ < end_ && !departures_->takes(next_message()))
        ++next_;
    return next_ < end_;
}

bool SendLane::post_next(std::byte *source, SendAhead ahead) {
    if (!left())
        return false;
    if (!may_send_) {
        may_send_ = sending_->sends_done();
        // sends_done() may have learned of a departure. The old message to that process keeps its slot.
        if (!may_send_ || !left())
            return false;
    }
    const size_t message = next_message();
    const bool packs = is_packed(message);
    if (packs && ahead == SendAhead::few && sending_->sends_under_way() >= enough_under_way)
        return false;
    std::byte *const to = sending_->send_data(message);
    if (!to)
        return false;
    if (packs)
        packs_.run(message, source, to);
    if (offset_)
        std::memcpy(to + plan_->sends[message].bytes, &offset_->offset, plan::window_note_bytes);
    sending_->post_send(message);
    ++next_;
    return true;
}

// Where MPI reads the memory of other processes, a message that is not packed is copied by its receiver, which can
// do so as soon as it is posted.
bool SendLane::next_is_quick() const {
    if (next_ >= end_)
        return false;
    const size_t message = next_message();
    return is_packed(message) ? plan_->sends[message].bytes <= short_message_bytes : next_ < max_posted_at_once;
}

bool SendLane::lets_go() {
    if (!holds_buffer_ || left() || !sending_->sends_done())
        return false;
    holds_buffer_ = false;
    return true;
}

bool SendLane::done() {
    bool done = true;
    for (const auto &exchange : exchanges_)
        done = exchange->sends_done() && done;
    return done;
}

std::optional<BlockingReceiver> SendLane::blocking_receiver() const {
    if (next_ >= end_ && !holds_buffer_)
        return std::nullopt;
    if (next_ >= end_) {
        const auto peer = sending_->awaits();
        return peer ? std::optional(BlockingReceiver{*peer, 0}) : std::nullopt;
    }
    if (may_send_ && !pooled_) // all slots of this receiver are taken
        return BlockingReceiver{plan_->sends[next_message()].peer, credit_frames_};
    const auto peer = sending_->awaits();
    if (!peer)
        return std::nullopt;
    // All messages of a sink's frame must leave before another frame uses their exchange.
    return BlockingReceiver{*peer, may_send_ ? 0 : strip_ + 1 + (std::ssize(exchanges_) - 1) * strips_};
}

std::optional<int> SendLane::receiver(const Among &among) const {
    for (size_t i = 0; !exchanges_.empty() && i < plan_->sends.size(); ++i)
        if (exchanges_.front()->departures().takes(i) && among(plan_->sends[i].peer))
            return plan_->sends[i].peer;
    return std::nullopt;
}

std::optional<transport::Departure> SendLane::receiver_left(int64_t frame) const {
    if (exchanges_.empty())
        return std::nullopt;
    const transport::Departures &departures = exchanges_.front()->departures();
    for (size_t i = 0; departures.any() && i < packs_.size(); ++i)
        if (const auto left = departures.of_receiver(i); left && left->frames <= frame)
            return left;
    return std::nullopt;
}

// Peers note the departure in all their exchanges with this tag, so one exchange reports it. Messages under way
// still arrive: a destroyed exchange keeps its sends until they are done.
void SendLane::leave(int64_t frames, transport::Leave how) {
    if (!exchanges_.empty())
        exchanges_.front()->leave(frames, how);
    exchanges_.clear();
    sending_ = nullptr;
    departures_ = nullptr;
    holds_buffer_ = false;
    end_ = next_; // no step is left; packed() stays as it is
}

std::string SendLane::explain() const {
    return plan_ ? message_text("to", plan_->sends, packs_, pooled_, at_) : std::string();
}

} // namespace dri::exec
