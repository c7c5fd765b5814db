// Which peers of an exchange have left it, and after how many frames.
#pragma once

#include "transport/exchange_layout.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace dri::transport {

// How a process leaves an exchange. early: its peers may need further frames. complete: all frames have passed,
// and none should follow.
enum class Leave : int64_t { early, complete };
constexpr Leave complete_if(bool all_have_passed) { return all_have_passed ? Leave::complete : Leave::early; }

// A process that has left an exchange, and how many frames it had handed over or received before.
struct Departure {
    int peer = 0;
    int64_t frames = 0;
    Leave leave = Leave::early;

    bool complete() const { return leave == Leave::complete; }
};

// The message that a process sends to its peers when it leaves. It is sent as these raw bytes.
struct Notice {
    int64_t tag = 0;
    int64_t of_sender = 0; // 1: the sender of the exchange's messages leaves; 0: their receiver
    int64_t frames = 0;    // of a question, and of its answer: its number
    Leave leave = Leave::early;
    int32_t is_counted = 0; // 1: the sender has counted it on the board, see Presence::count_notice
};

// The departures from one exchange, per send and per receive. One thread may call note() while others call the
// queries.
class Departures {
public:
    // layout: of the exchange; must outlive this object.
    explicit Departures(const ExchangeLayout &layout);

    // Records that `peer` has left.
    void note(int peer, const Notice &notice);

    bool any() const { return any_.load(std::memory_order_acquire); }
    // Whether the receiver of send i is still there.
    bool takes(size_t i) const {
        return !any() || receivers_.of(i).frames.load(std::memory_order_relaxed) == there;
    }
    // The sender of receive i, if it has left before that frame.
    std::optional<Departure> before(int64_t frame, size_t i) const;
    // The receiver of send i, if it has left.
    std::optional<Departure> of_receiver(size_t i) const;
    // If there are receivers and all of them have left: the one that received the largest number of frames.
    std::optional<Departure> of_all_receivers() const;
    // A receiver that has left because all frames have passed.
    std::optional<Departure> complete_receiver() const;

private:
    static constexpr int64_t there = std::numeric_limits<int64_t>::max();
    struct Peer {
        int rank = 0;
        std::atomic<int64_t> frames = there;
        std::atomic<Leave> leave = Leave::early; // written before `frames`
    };
    // The peers of all messages of one direction, each once.
    class Peers {
    public:
        explicit Peers(const MessagePeers &peers);
        const Peer &of(size_t message) const { return all[peers_->number(message)]; }
        std::vector<Peer> all;

    private:
        const MessagePeers *peers_;
    };
    static std::optional<Departure> departure_of(const Peer &peer);

    Peers receivers_, senders_;
    std::atomic<bool> any_ = false;
};

} // namespace dri::transport
