// The staging memory for the messages of one direction of an exchange. It is one piece with slots, each of which
// starts at a cache line. A message takes a slot and gives it back. The free slot that was given back last is
// taken first: it is still in cache, and other slots may never be touched.
#pragma once

#include "transport/message_memory.hpp"
#include "transport/transport.hpp"

#include <algorithm>

namespace dri::transport {

class Staging {
public:
    // Which messages share slots. length: messages of one length, with a slot for each of them. peer: the messages
    // of one peer, with slots for at most `credits` of them. all: all messages, with slots for at most `credits`
    // of them.
    enum class PoolBy { length, peer, all };
    static constexpr PoolBy pool_by(bool of_all) { return of_all ? PoolBy::all : PoolBy::peer; }

    // Fails with DRI_ERR_INTERNAL if a message has a peer outside [0, world_size) or a length out of range.
    Staging(std::span<const MessageSpec> specs, int world_size, PoolBy pool, int64_t credits,
            MessageMemory &memory);
    // The bytes of staging that the constructor would reserve.
    static int64_t bytes_for(std::span<const MessageSpec> specs, PoolBy pool, int64_t credits);

    size_t size() const { return specs_.size(); }
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
    size_t num_groups() const { return groups_.size(); }

    // Hands the memory to another owner. Slots stay valid as long as that owner keeps it.
    MessageMemory::Piece take_memory() { return std::move(memory_); }

private:
    static constexpr size_t nowhere = SIZE_MAX;
    struct Group {
        int64_t bytes = 0, messages = 0; // length of a slot; number of messages
        std::vector<size_t> free;        // free slots; the last one is taken next
        int64_t slots(PoolBy pool, int64_t credits) const {
            return pool == PoolBy::length ? messages : std::min(messages, credits);
        }
    };
    // Returns the groups, and in `of` the group of each message.
    static std::vector<Group> group_specs(std::span<const MessageSpec> specs, PoolBy pool,
                                          std::vector<size_t> &of);

    std::vector<MessageSpec> specs_;
    std::vector<size_t> group_, slot_of_; // per message
    std::vector<Group> groups_;
    std::vector<std::byte *> slots_;
    int64_t bytes_ = 0;
    MessageMemory::Piece memory_;
};

// These fail with DRI_ERR_INTERNAL if the value is out of range.
void check_peer(int peer, int world_size);
void check_set_up_tag(int tag);
void check_exchange_tag(int64_t tag, int64_t exchange_tags);

} // namespace dri::transport
