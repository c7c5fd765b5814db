#include "transport/staging.hpp"

#include "base/checked.hpp"

namespace dri {

void check_peer(int peer, int world_size) {
    if (peer < 0 || peer >= world_size)
        fail(DRI_ERR_INTERNAL, "rank {} is outside the world of {} processes", peer, world_size);
}

void check_set_up_tag(int tag) {
    if (tag < 0 || tag >= Transport::set_up_tags)
        fail(DRI_ERR_INTERNAL, "set-up tag {} is outside [0, {})", tag, Transport::set_up_tags);
}

void check_exchange_tag(int64_t tag, int64_t exchange_tags) {
    if (tag < 0 || tag >= exchange_tags)
        fail(DRI_ERR_INTERNAL, "exchange tag {} is outside [0, {})", tag, exchange_tags);
}

Staging::Staging(std::span<const Slot> slots, int world_size) : slots_(slots.begin(), slots.end()) {
    std::vector<int64_t> offsets;
    offsets.reserve(slots.size());
    int64_t end = 0;
    for (const Slot &slot : slots) {
        check_peer(slot.peer, world_size);
        if (slot.bytes <= 0 || slot.bytes > max_message_bytes)
            fail(DRI_ERR_INTERNAL, "a message of {} bytes is outside [1, {}]", slot.bytes, max_message_bytes);
        offsets.push_back(end);
        end = checked_add(end, round_up(slot.bytes, static_cast<int64_t>(cache_line_bytes)));
    }
    memory_ = AlignedBuffer(end);
    data_.reserve(slots.size());
    for (int64_t offset : offsets)
        data_.push_back(memory_.data() + offset);
}

} // namespace dri
