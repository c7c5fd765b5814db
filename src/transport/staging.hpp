// The memory that the messages of one direction of an exchange travel in: one allocation, every message at a cache
// line.
#pragma once

#include "base/memory.hpp"
#include "transport/transport.hpp"

namespace dri {

class Staging {
public:
    // Fails with DRI_ERR_INTERNAL on a slot with a peer outside [0, world_size) or a length out of range.
    Staging(std::span<const Slot> slots, int world_size);

    size_t size() const { return slots_.size(); }
    const Slot &slot(size_t i) const { return slots_[i]; }
    std::byte *data(size_t i) const { return data_[i]; }
    // The memory goes to another owner; data(i) stays valid as long as that keeps it.
    AlignedBuffer take_memory() { return std::move(memory_); }

private:
    std::vector<Slot> slots_;
    std::vector<std::byte *> data_;
    AlignedBuffer memory_;
};

// Fail with DRI_ERR_INTERNAL where the value is out of range.
void check_peer(int peer, int world_size);
void check_set_up_tag(int tag);
void check_exchange_tag(int64_t tag, int64_t exchange_tags);

} // namespace dri
