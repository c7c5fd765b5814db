// Which peers of an exchange have left it, and after how many frames.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace dri {

struct MessageSpec;

// A process that has left an exchange, and the frames that it handed over, or took, before.
struct Departure {
    int peer = 0;
    int64_t frames = 0;
    bool ended = false; // because the stream has ended: there should be no more
};

// What a process tells its peers when it leaves. Travels as it is.
struct Notice {
    int64_t tag = 0;
    int64_t of_sender = 0; // 1: who sends the messages leaves; 0: who receives them
    int64_t frames = 0;
    int64_t ended = 0; // as of Departure
};

// One thread may note while another asks.
class Departures {
public:
    Departures(std::span<const MessageSpec> sends, std::span<const MessageSpec> receives);

    // peer: who left.
    void note(int peer, const Notice &notice);

    bool any() const { return any_.load(std::memory_order_acquire); }
    // Whether the receiver of send i is still there.
    bool takes(size_t i) const { return receivers_[i].frames.load(std::memory_order_relaxed) == there; }
    // The sender of receive i, if it has left before that frame.
    std::optional<Departure> before(int64_t frame, size_t i) const;
    // The receiver of send i, if it has left.
    std::optional<Departure> of_receiver(size_t i) const;
    // The receiver that had most frames, if there are any and all have left.
    std::optional<Departure> of_all_receivers() const;
    // A receiver that has left because the stream has ended.
    std::optional<Departure> at_end() const;

private:
    static constexpr int64_t there = std::numeric_limits<int64_t>::max();
    struct Peer {
        int rank = 0;
        std::atomic<int64_t> frames = there;
        std::atomic<bool> ended = false; // written before
    };
    std::vector<Peer> receivers_, senders_; // per send and per receive
    std::atomic<bool> any_ = false;
};

} // namespace dri
