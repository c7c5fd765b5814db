#include "exec/word_line.hpp"

#include "base/checked.hpp"
#include "base/in_turn.hpp"
#include "transport/staging.hpp"

#include <cstring>

namespace dri {

namespace {

constexpr int64_t receive_window = 1;

std::vector<Slot> slots_of(const std::vector<int> &peers, int64_t bytes) {
    std::vector<Slot> slots;
    for (const int peer : peers)
        slots.push_back({peer, bytes});
    return slots;
}

} // namespace

int64_t WordSender::bytes_for(const std::vector<int> &to, int64_t word_bytes, int64_t places) {
    return checked_mul(Staging::bytes_for(slots_of(to, word_bytes), Staging::Share::alike, Transport::no_window),
                       places);
}

WordSender::WordSender(const std::vector<int> &to, int64_t word_bytes, int64_t places, Transport &transport,
                       int64_t tag)
    : receivers_(to.size()), word_bytes_(static_cast<size_t>(word_bytes)) {
    for (int64_t i = 0; !to.empty() && i < places; ++i)
        exchanges_.push_back(transport.prepare(slots_of(to, word_bytes), {}, tag));
}

int64_t WordSender::memory_bytes() const {
    int64_t bytes = 0;
    for (const auto &exchange : exchanges_)
        bytes += exchange->memory_bytes();
    return bytes;
}

Exchange &WordSender::place_of(int64_t number) const {
    return *exchanges_[static_cast<size_t>(in_turn(number, places()))];
}

bool WordSender::send(int64_t number, const void *word) {
    Exchange &exchange = place_of(number);
    if (!exchange.sends_done())
        return false;
    for (size_t i = 0; i < receivers_; ++i) {
        if (!exchange.departures().takes(i))
            continue;
        std::memcpy(exchange.send_data(i), word, word_bytes_);
        exchange.post_send(i);
    }
    return true;
}

bool WordSender::takes_any() const { return any() && !departures().of_all_receivers(); }

std::optional<int> WordSender::awaits(int64_t number) const { return place_of(number).awaits(); }

// The peers note it in all their exchanges of the tag, so one of ours is enough.
void WordSender::leave(int64_t words, bool ended) {
    if (any())
        exchanges_.front()->leave(words, ended);
}

int64_t WordReceiver::bytes_for(int from, int64_t word_bytes) {
    return Staging::bytes_for(slots_of({from}, word_bytes), Staging::Share::per_peer, receive_window);
}

WordReceiver::WordReceiver(int from, int64_t word_bytes, Transport &transport, int64_t tag)
    : word_bytes_(static_cast<size_t>(word_bytes)),
      exchange_(transport.prepare({}, slots_of({from}, word_bytes), tag, receive_window)) {}

void WordReceiver::copy(void *word) {
    std::memcpy(word, exchange_->receive_data(0), word_bytes_);
    exchange_->release(0);
}

bool WordReceiver::take(void *word) {
    if (exchange_->try_receive() < 0)
        return false;
    copy(word);
    return true;
}

void WordReceiver::wait(void *word) {
    if (exchange_->wait_receive() >= 0)
        copy(word);
}

std::optional<Departure> WordReceiver::left(int64_t number) const {
    return exchange_ && exchange_->departures().any() ? exchange_->departures().before(number, 0) : std::nullopt;
}

void WordReceiver::leave(int64_t words) {
    if (exchange_)
        exchange_->leave(words);
}

} // namespace dri
