// Words of one length from one process to some, each in order and apart from the data of frames: headers, verdicts
// and credits. Allocates nothing after it is made.
#pragma once

#include "transport/transport.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace dri {

// Sends them. Words are numbered from 0.
class ControlSender {
public:
    ControlSender() = default; // to nobody
    // slots: words that have memory at once, which comes to bytes_for().
    ControlSender(const std::vector<int> &to, int64_t word_bytes, int64_t slots, Transport &transport,
                  int64_t tag);
    static int64_t bytes_for(const std::vector<int> &to, int64_t word_bytes, int64_t slots);

    bool any() const { return !exchanges_.empty(); } // receivers
    int64_t slots() const { return std::ssize(exchanges_); }
    int64_t memory_bytes() const;
    // Sends a word to those who are still there; false where the one that has its place is not away.
    bool send(int64_t number, const void *word);
    // Whether anybody would get it.
    bool takes_any() const;
    // One that has not taken the word that has the place of this one.
    std::optional<int> awaits(int64_t number) const;
    const Departures &departures() const { return exchanges_.front()->departures(); }
    void poll_departures() { exchanges_.front()->poll_departures(); }
    // Tells the receivers that no more come. ended: as of Departure. Words that are under way still arrive.
    void leave(int64_t words, bool ended = false);
    void clear() { exchanges_.clear(); }

private:
    Exchange &exchange_for(int64_t number) const;

    size_t receivers_ = 0, word_bytes_ = 0;
    std::vector<std::unique_ptr<Exchange>> exchanges_;
};

// Receives them, one at a time.
class ControlReceiver {
public:
    ControlReceiver() = default; // from nobody
    ControlReceiver(int from, int64_t word_bytes, Transport &transport, int64_t tag);
    static int64_t bytes_for(int from, int64_t word_bytes);

    bool any() const { return exchange_ != nullptr; }
    int64_t memory_bytes() const { return exchange_ ? exchange_->memory_bytes() : 0; }
    void expect() { exchange_->post_receives(); } // the next word
    bool expects() const { return exchange_ && exchange_->receives_open(); }
    // Takes the word that is expected, if it has come; or waits for it, and throws PeerLeft as Exchange does.
    bool take(void *word);
    void wait(void *word);
    // The sender, if it has left before that word.
    std::optional<Departure> left(int64_t number) const;
    void poll_departures() { exchange_->poll_departures(); }
    void leave(int64_t words);
    void clear() { exchange_.reset(); }

private:
    void copy(void *word);

    size_t word_bytes_ = 0;
    std::unique_ptr<Exchange> exchange_;
};

} // namespace dri
