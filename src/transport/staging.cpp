#include "transport/staging.hpp"

#include "base/checked.hpp"

#include <algorithm>
#include <map>

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

std::vector<Staging::Group> Staging::group_slots(std::span<const Slot> slots, Share share,
                                                 std::vector<size_t> &of) {
    std::vector<Group> groups;
    std::map<int64_t, size_t> numbers;
    const auto key = [&](const Slot &slot, int64_t bytes) -> int64_t {
        return share == Share::alike ? bytes : share == Share::per_peer ? slot.peer : 0;
    };
    for (const Slot &slot : slots) {
        const int64_t bytes = round_up(slot.bytes, cache_line_bytes);
        const auto at = numbers.try_emplace(key(slot, bytes), groups.size()).first;
        if (at->second == groups.size())
            groups.emplace_back();
        Group &group = groups[at->second];
        group.bytes = std::max(group.bytes, bytes);
        ++group.messages;
        of.push_back(at->second);
    }
    return groups;
}

int64_t Staging::bytes_for(std::span<const Slot> slots, Share share, int64_t window) {
    std::vector<size_t> of;
    int64_t bytes = 0;
    for (const Group &group : group_slots(slots, share, of))
        bytes = checked_add(bytes, checked_mul(group.bytes, group.places(share, window)));
    return bytes;
}

Staging::Staging(std::span<const Slot> slots, int world_size, Share share, int64_t window, MessageMemory &memory)
    : slots_(slots.begin(), slots.end()), place_(slots.size(), nowhere) {
    for (const Slot &slot : slots) {
        check_peer(slot.peer, world_size);
        if (slot.bytes <= 0 || slot.bytes > max_message_bytes)
            fail(DRI_ERR_INTERNAL, "a message of {} bytes is outside [1, {}]", slot.bytes, max_message_bytes);
    }
    groups_ = group_slots(slots, share, group_);
    std::vector<int64_t> offsets;
    for (Group &group : groups_) {
        for (int64_t i = group.places(share, window); i > 0; --i) {
            group.free.push_back(offsets.size());
            offsets.push_back(bytes_);
            bytes_ = checked_add(bytes_, group.bytes);
        }
        std::reverse(group.free.begin(), group.free.end());
    }
    memory_ = memory.take(bytes_);
    places_.reserve(offsets.size());
    for (int64_t offset : offsets)
        places_.push_back(memory_.data() + offset);
}

bool Staging::take(size_t i) {
    if (has_place(i))
        return true;
    std::vector<size_t> &free = groups_[group_[i]].free;
    if (free.empty())
        return false;
    place_[i] = free.back();
    free.pop_back();
    return true;
}

void Staging::give_back(size_t i) {
    if (has_place(i))
        groups_[group_[i]].free.push_back(place_[i]); // never more than it had: allocates nothing
    place_[i] = nowhere;
}

} // namespace dri
