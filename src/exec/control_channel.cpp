// Words over prepared exchanges: one exchange per slot at the sender, one in all at a receiver.
#include "exec/control_channel.hpp"

#include "base/ring_slot.hpp"
#include "transport/exchange.hpp"

#include <cstring>

namespace dri::exec {

namespace {

constexpr int64_t receive_credits = 1;

std::vector<transport::MessageSpec> specs_of(const std::vector<int> &peers, int64_t bytes) {
    std::vector<transport::MessageSpec> specs;
    for (const int peer : peers)
        specs.push_back({peer, bytes});
    return specs;
}

} // namespace

MessageLayout control_sends(const std::vector<int> &to, int64_t word_bytes, int64_t slots) {
    MessageLayout layout;
    layout.spec.sends = specs_of(to, word_bytes);
    layout.exchanges = to.empty() ? 0 : slots;
    return layout;
}

MessageLayout control_receives(int from, int64_t word_bytes) {
    MessageLayout layout;
    layout.spec.receives = specs_of({from}, word_bytes);
    layout.spec.receive_credits = receive_credits;
    layout.exchanges = 1;
    return layout;
}

ControlSender::ControlSender(const MessageLayout &layout, transport::Transport &transport, int64_t tag) {
    for (const transport::MessageSpec &spec : layout.spec.sends)
        receivers_.push_back(spec.peer);
    if (!receivers_.empty())
        word_bytes_ = static_cast<size_t>(layout.spec.sends.front().bytes);
    exchanges_ = layout.prepare(transport, tag);
}

transport::Exchange &ControlSender::exchange_for(int64_t number) const {
    return *exchanges_[static_cast<size_t>(ring_slot(number, slots()))];
}

// Writes the word into the slot of each receiver that is still there. Posting never waits.
bool ControlSender::send(int64_t number, const void *word) {
    transport::Exchange &exchange = exchange_for(number);
    if (!exchange.sends_done())
        return false;
    for (size_t i = 0; i < receivers_.size(); ++i) {
        if (!exchange.departures().takes(i))
            continue;
        std::memcpy(exchange.send_data(i), word, word_bytes_);
        exchange.post_send(i);
    }
    return true;
}

bool ControlSender::takes_any() const { return any() && !departures().of_all_receivers(); }

std::optional<int> ControlSender::awaits(int64_t number) const { return exchange_for(number).awaits(); }

std::optional<int> ControlSender::receiver(const Among &among) const {
    for (size_t i = 0; any() && i < receivers_.size(); ++i)
        if (departures().takes(i) && among(receivers_[i]))
            return receivers_[i];
    return std::nullopt;
}

// Peers note the departure in all their exchanges with this tag, so one exchange reports it.
void ControlSender::leave(int64_t words, transport::Leave how) {
    if (any())
        exchanges_.front()->leave(words, how);
}

ControlReceiver::ControlReceiver(const MessageLayout &layout, transport::Transport &transport, int64_t tag)
    : word_bytes_(static_cast<size_t>(layout.spec.receives.front().bytes)) {
    exchange_ = std::move(layout.prepare(transport, tag).front());
}

void ControlReceiver::copy(void *word) {
    std::memcpy(word, exchange_->receive_data(0), word_bytes_);
    exchange_->release(0);
}

bool ControlReceiver::take(void *word) {
    if (exchange_->try_receive() < 0)
        return false;
    copy(word);
    return true;
}

std::optional<transport::Departure> ControlReceiver::left(int64_t number) const {
    return exchange_ && exchange_->departures().any() ? exchange_->departures().before(number, 0) : std::nullopt;
}

void ControlReceiver::leave(int64_t words) {
    if (exchange_)
        exchange_->leave(words, transport::Leave::early);
}

} // namespace dri::exec
