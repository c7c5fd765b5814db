// What an exchange is made from, worked out once: its messages, which of them share staging slots, and their
// peers. Exchanges that are alike share it. An exchange adds little for each message.
#pragma once

#include "transport/exchange_spec.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dri::transport {

// Which messages of one direction share slots, and how many bytes the slots need. A Staging is made from it, so
// the bytes that it reports are those that are reserved.
class StagingLayout {
public:
    // length: messages of one length, with a slot for each of them. peer: the messages of one peer, with slots for
    // at most `credits` of them. all: all messages, with slots for at most `credits` of them.
    enum class PoolBy { length, peer, all };
    // at, dense: as in ExchangeSpec. Messages outside have slots without bytes, as many as they are.
    StagingLayout(std::span<const MessageSpec> specs, std::span<const int64_t> at, PoolBy pool,
                  int64_t credits = unlimited_credits, bool dense = false);

    // Slots of one length, one behind the other. `first` counts the slots of the groups before, `begin` their
    // bytes.
    struct Group {
        int64_t slot_bytes = 0, slots = 0, first = 0, begin = 0;
    };
    const std::vector<Group> &groups() const { return groups_; }
    size_t group_of(size_t message) const { return group_of_[message]; }
    int64_t bytes() const { return bytes_; }
    int64_t slots() const { return slots_; }

private:
    std::vector<Group> groups_;
    std::vector<uint32_t> group_of_; // per message
    int64_t bytes_ = 0, slots_ = 0;
};

// The peers of messages, numbered from 0 in the order in which they come first. There may be many messages and few
// peers, whose messages mostly follow one another.
class MessagePeers {
public:
    explicit MessagePeers(std::span<const MessageSpec> messages);

    const std::vector<int> &ranks() const { return ranks_; } // each once
    uint32_t number(size_t message) const; // cost: O(log) of how often the peer changes from message to message

private:
    // Messages of one peer, from message `first` on.
    struct Stretch {
        uint32_t first, number;
    };
    std::vector<int> ranks_;
    std::vector<Stretch> stretches_;
};

struct ExchangeLayout {
    explicit ExchangeLayout(ExchangeSpec from);
    int64_t bytes() const { return sends.bytes() + receives.bytes(); }

    const ExchangeSpec spec;
    const StagingLayout sends, receives;
    const MessagePeers receivers, senders;
};

} // namespace dri::transport
