// The staging memory for the messages of one direction of an exchange. It is one piece with slots, each of which
// starts at a cache line. A message takes a slot and gives it back. The free slot that was given back last is
// taken first: it is still in cache, and other slots may never be touched.
#pragma once

#include "transport/exchange_layout.hpp"
#include "transport/message_memory.hpp"

#include <span>

namespace dri::transport {

class Staging {
public:
    // specs, at, layout: of one direction of an ExchangeLayout, which must outlive this object. Fails with
    // DRI_ERR_INTERNAL if a message has a peer outside [0, world_size) or a length out of range.
    Staging(std::span<const MessageSpec> specs, std::span<const int64_t> at, const StagingLayout &layout,
            int world_size, MessageMemory &memory);

    size_t size() const { return specs_.size(); }
    const MessageSpec &spec(size_t i) const { return specs_[i]; }
    int64_t bytes() const { return layout_->bytes(); }
    size_t num_slots() const { return static_cast<size_t>(layout_->slots()); }

    // Assigns a slot to message i unless it has one. Returns false if none is free.
    bool take(size_t i);
    void give_back(size_t i);
    bool has_slot(size_t i) const { return slot_of_[i] != nowhere; }
    size_t slot(size_t i) const { return slot_of_[i]; }
    bool is_outside(size_t i) const { return transport::is_outside(at_, i); }
    void set_origin(std::byte *origin) { origin_ = origin; } // of the messages outside
    std::byte *data(size_t i) const {
        if (is_outside(i))
            return origin_ + at_[i];
        if (slot_bytes_ != unlike)
            return begin_ + slot_of_[i] * slot_bytes_;
        const StagingLayout::Group &group = layout_->groups()[layout_->group_of(i)];
        return begin_ + group.begin + (slot_of_[i] - group.first) * group.slot_bytes;
    }
    // The group of message i. Messages of one group share slots.
    size_t group(size_t i) const { return layout_->group_of(i); }
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
    static constexpr int64_t unlike = -1;
    std::span<const MessageSpec> specs_;
    std::span<const int64_t> at_; // as in ExchangeSpec
    const StagingLayout *layout_;
    std::vector<uint32_t> slot_of_; // per message; there may be many, so numbers are short
    std::vector<FreeSlots> free_;   // per group
    MessageMemory::Piece memory_;
    std::byte *begin_;
    int64_t slot_bytes_; // of all slots, which is usual; or unlike
    std::byte *origin_ = nullptr;
};

// These fail with DRI_ERR_INTERNAL if the value is out of range.
void check_peer(int peer, int world_size);
void check_set_up_tag(int tag);
void check_exchange_tag(int64_t tag, int64_t exchange_tags);

} // namespace dri::transport
