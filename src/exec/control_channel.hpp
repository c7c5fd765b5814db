// A channel for short words of fixed length from one process to others: frame headers, verdicts and credits. Words
// arrive in order and apart from the data of frames. Nothing is allocated after a channel is made.
#pragma once

#include "exec/lane.hpp"
#include "exec/lane_layout.hpp"
#include "transport/departures.hpp"
#include "transport/exchange.hpp"
#include "transport/transport.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace dri::exec {

// The memory of both ends. slots: words to each receiver that may be under way at once. A receiver has memory for
// one word.
MessageLayout control_sends(const std::vector<int> &to, int64_t word_bytes, int64_t slots);
MessageLayout control_receives(int from, int64_t word_bytes);

// Sends words, which are numbered from 0.
class ControlSender {
public:
    ControlSender() = default; // has no receivers
    // layout: of control_sends().
    ControlSender(const MessageLayout &layout, transport::Transport &transport, int64_t tag);

    bool any() const { return !exchanges_.empty(); } // whether there are receivers
    int64_t slots() const { return std::ssize(exchanges_); }
    // Sends a word to all receivers that are still there. False while an earlier word is in its slot.
    bool send(int64_t number, const void *word);
    // Whether a receiver is still there.
    bool takes_any() const;
    // A receiver that has not taken the earlier word in the slot of this one.
    std::optional<int> awaits(int64_t number) const;
    std::optional<int> receiver(const Among &among) const; // one that is still there
    const transport::Departures &departures() const { return exchanges_.front()->departures(); }
    void poll_departures(transport::Look look) { exchanges_.front()->poll_departures(look); }
    // Reports to the receivers that no word follows. Words under way still arrive.
    void leave(int64_t words, transport::Leave how = transport::Leave::early);
    void clear() { exchanges_.clear(); }

private:
    transport::Exchange &exchange_for(int64_t number) const;

    std::vector<int> receivers_;
    size_t word_bytes_ = 0;
    std::vector<std::unique_ptr<transport::Exchange>> exchanges_;
};

// Receives words, one at a time.
class ControlReceiver {
public:
    ControlReceiver() = default; // has no sender
    // layout: of control_receives().
    ControlReceiver(const MessageLayout &layout, transport::Transport &transport, int64_t tag);

    bool any() const { return exchange_ != nullptr; }
    void expect() { exchange_->post_receives(); } // posts the receive of the next word
    bool expects() const { return exchange_ && exchange_->receives_open(); }
    // Takes the expected word if it has arrived.
    bool take(void *word);
    // The sender, if it has left before it sent that word.
    std::optional<transport::Departure> left(int64_t number) const;
    void poll_departures(transport::Look look) { exchange_->poll_departures(look); }
    void leave(int64_t words);
    void clear() { exchange_.reset(); }

private:
    void copy(void *word);

    size_t word_bytes_ = 0;
    std::unique_ptr<transport::Exchange> exchange_;
};

} // namespace dri::exec
