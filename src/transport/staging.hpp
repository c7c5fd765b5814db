// The staging memory for the messages of one direction of an exchange. It is one piece with slots, each of which
// starts at a cache line. A message takes a slot and gives it back. The free slot that was given back last is
// taken first: it is still in cache, and other slots may never be touched.
#pragma once

#include "transport/exchange_spec.hpp"
#include "transport/message_memory.hpp"

#include <span>

namespace dri::transport {

// Which messages share slots, and how many bytes the slots need. A Staging is made from it, so the bytes that it
// reports are those that are reserved.
class StagingLayout {
public:
    // length: messages of one length, with a slot for each of them. peer: the messages of one peer, with slots for
    // at most `credits` of them. all: all messages, with slots for at most `credits` of them.
    enum class PoolBy { length, peer, all };
    StagingLayout(std::span<const MessageSpec> specs, PoolBy pool, int64_t credits = unlimited_credits);

    int64_t bytes() const { return bytes_; }

private:
    friend class Staging;
    struct Group {
        int64_t slot_bytes = 0, slots = 0;
    };
    std::vector<Group> groups_;
    std::vector<uint32_t> group_of_; // per message
    int64_t bytes_ = 0;
};

// The staging memory of an exchange.
struct ExchangeLayout {
    explicit ExchangeLayout(const ExchangeSpec &spec);
    int64_t bytes() const { return sends.bytes() + receives.bytes(); }

    StagingLayout sends, receives;
};

class Staging {
public:
    // Fails with DRI_ERR_INTERNAL if a message has a peer outside [0, world_size) or a length out of range.
    Staging(std::span<const MessageSpec> specs, const StagingLayout &layout, int world_size,
            MessageMemory &memory);

    size_t size() const { return specs_.size(); }
    std::vector<int> peers() const; // of all messages, ascending, each once
    const MessageSpec &spec(size_t i) const { return specs_[i]; }
    int64_t bytes() const { return bytes_; }
    size_t num_slots() const { return slots_.size(); }

    // Assigns a slot to message i unless it has one. Returns false if none is free.
    bool take(size_t i);
    void give_back(size_t i);
    bool has_slot(size_t i) const { return slot_of_[i] != nowhere; }
    size_t slot(size_t i) const { return slot_of_[i]; }
    std::byte *data(size_t i) const { return slots_[slot_of_[i]]; }
    // The group of message i. Messages of one group share slots.
    size_t group(size_t i) const { return group_[i]; }
    size_t num_groups() const { return free_.size(); }

    // Hands the memory to another owner. Slots stay valid as long as that owner keeps it.
    MessageMemory::Piece take_memory() { return std::move(memory_); }

private:
    // A stack of the free slots of a group: slots[0] to slots[count - 1]. It never grows beyond its first size, so
    // taking and giving back cost a few instructions.
    struct FreeSlots {
        std::vector<uint32_t> slots;
        size_t count = 0;
    };
    static constexpr uint32_t nowhere = UINT32_MAX;
    std::vector<MessageSpec> specs_;
    std::vector<uint32_t> group_, slot_of_; // per message; there may be many, so numbers are short
    std::vector<FreeSlots> free_;           // per group
    std::vector<std::byte *> slots_;
    int64_t bytes_ = 0;
    MessageMemory::Piece memory_;
};

// These fail with DRI_ERR_INTERNAL if the value is out of range.
void check_peer(int peer, int world_size);
void check_set_up_tag(int tag);
void check_exchange_tag(int64_t tag, int64_t exchange_tags);

} // namespace dri::transport
