// Gives the slots of an exchange to its messages.
#include "transport/staging.hpp"

#include "base/checked.hpp"
#include "transport/transport.hpp"

#include <algorithm>
#include <numeric>

namespace dri::transport {

void check_peer(int peer, int world_size) {
    if (peer < 0 || peer >= world_size)
        fail(DRI_ERR_INTERNAL, "process {} is not in the world of {} processes", peer, world_size);
}

void check_set_up_tag(int tag) {
    if (tag < 0 || tag >= Transport::set_up_tags)
        fail(DRI_ERR_INTERNAL, "set-up tag {} is not in [0, {})", tag, Transport::set_up_tags);
}

void check_exchange_tag(int64_t tag, int64_t exchange_tags) {
    if (tag < 0 || tag >= exchange_tags)
        fail(DRI_ERR_INTERNAL, "exchange tag {} is not in [0, {})", tag, exchange_tags);
}

Staging::Staging(std::span<const MessageSpec> specs, std::span<const int64_t> at, const StagingLayout &layout,
                 int world_size, MessageMemory &memory)
    : specs_(specs), at_(at), layout_(&layout), slot_of_(specs.size(), nowhere) {
    for (const MessageSpec &spec : specs) {
        check_peer(spec.peer, world_size);
        if (spec.bytes <= 0 || spec.bytes > max_message_bytes)
            fail(DRI_ERR_INTERNAL, "a message has {} bytes, but must have 1 to {}", spec.bytes, max_message_bytes);
    }
    const std::vector<StagingLayout::Group> &groups = layout.groups();
    const bool alike = std::all_of(groups.begin(), groups.end(), [&](const StagingLayout::Group &group) {
        return group.slot_bytes == groups.front().slot_bytes;
    });
    slot_bytes_ = alike && !groups.empty() ? groups.front().slot_bytes : unlike;
    memory_ = memory.take(layout.bytes());
    begin_ = memory_.data();
    for (const StagingLayout::Group &group : groups) {
        FreeSlots &free = free_.emplace_back();
        free.count = static_cast<size_t>(group.slots);
        free.slots.resize(free.count);
        // The last free slot is taken first: the lowest one.
        std::iota(free.slots.rbegin(), free.slots.rend(), narrow<uint32_t>(group.first));
    }
}

bool Staging::take(size_t i) {
    if (has_slot(i))
        return true;
    // No slot is free until another message of the group gives its slot back. The caller tries again then.
    FreeSlots &free = free_[group(i)];
    if (free.count == 0)
        return false;
    slot_of_[i] = free.slots[--free.count];
    return true;
}

void Staging::give_back(size_t i) {
    if (!has_slot(i))
        return;
    FreeSlots &free = free_[group(i)];
    free.slots[free.count++] = slot_of_[i];
    slot_of_[i] = nowhere;
}

} // namespace dri::transport
