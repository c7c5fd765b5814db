// Assigns staging slots to the messages of an exchange.
#include "transport/staging.hpp"

#include "base/checked.hpp"

#include <algorithm>
#include <map>

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

// A group's slots are as long as its longest message, rounded up to whole cache lines.
std::vector<Staging::Group> Staging::group_specs(std::span<const MessageSpec> specs, PoolBy pool,
                                                 std::vector<size_t> &of) {
    std::vector<Group> groups;
    std::map<int64_t, size_t> numbers;
    const auto key = [&](const MessageSpec &spec, int64_t bytes) -> int64_t {
        return pool == PoolBy::length ? bytes : pool == PoolBy::peer ? spec.peer : 0;
    };
    for (const MessageSpec &spec : specs) {
        const int64_t bytes = round_up(spec.bytes, cache_line_bytes);
        const auto at = numbers.try_emplace(key(spec, bytes), groups.size()).first;
        if (at->second == groups.size())
            groups.emplace_back();
        Group &group = groups[at->second];
        group.bytes = std::max(group.bytes, bytes);
        ++group.messages;
        of.push_back(at->second);
    }
    return groups;
}

// Uses the groups of the constructor, so an estimate before the commit equals the reservation.
int64_t Staging::bytes_for(std::span<const MessageSpec> specs, PoolBy pool, int64_t credits) {
    std::vector<size_t> of;
    int64_t bytes = 0;
    for (const Group &group : group_specs(specs, pool, of))
        bytes = checked_add(bytes, checked_mul(group.bytes, group.slots(pool, credits)));
    return bytes;
}

Staging::Staging(std::span<const MessageSpec> specs, int world_size, PoolBy pool, int64_t credits,
                 MessageMemory &memory)
    : specs_(specs.begin(), specs.end()), slot_of_(specs.size(), nowhere) {
    for (const MessageSpec &spec : specs) {
        check_peer(spec.peer, world_size);
        if (spec.bytes <= 0 || spec.bytes > max_message_bytes)
            fail(DRI_ERR_INTERNAL, "a message has {} bytes, but must have 1 to {}", spec.bytes, max_message_bytes);
    }
    groups_ = group_specs(specs, pool, group_);
    std::vector<int64_t> offsets;
    for (Group &group : groups_) {
        for (int64_t i = group.slots(pool, credits); i > 0; --i) {
            group.free.push_back(offsets.size());
            offsets.push_back(bytes_);
            bytes_ = checked_add(bytes_, group.bytes);
        }
        // The last free slot is taken first. After the reversal that is the lowest one.
        std::reverse(group.free.begin(), group.free.end());
    }
    memory_ = memory.take(bytes_);
    slots_.reserve(offsets.size());
    for (int64_t offset : offsets)
        slots_.push_back(memory_.data() + offset);
}

bool Staging::take(size_t i) {
    if (has_slot(i))
        return true;
    // No slot is free until another message of the group gives its slot back. The caller tries again then.
    std::vector<size_t> &free = groups_[group_[i]].free;
    if (free.empty())
        return false;
    slot_of_[i] = free.back();
    free.pop_back();
    return true;
}

void Staging::give_back(size_t i) {
    // The list never grows beyond its first size, so nothing is allocated.
    if (has_slot(i))
        groups_[group_[i]].free.push_back(slot_of_[i]);
    slot_of_[i] = nowhere;
}

} // namespace dri::transport
