// Assigns staging slots to the messages of an exchange.
#include "transport/staging.hpp"

#include "base/checked.hpp"
#include "base/sorted.hpp"
#include "transport/transport.hpp"

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
StagingLayout::StagingLayout(std::span<const MessageSpec> specs, PoolBy pool, int64_t credits) {
    std::map<int64_t, uint32_t> numbers;
    const auto key = [&](const MessageSpec &spec, int64_t bytes) -> int64_t {
        return pool == PoolBy::length ? bytes : pool == PoolBy::peer ? spec.peer : 0;
    };
    const int64_t max_slots = pool == PoolBy::length ? unlimited_credits : credits;
    group_of_.reserve(specs.size());
    for (const MessageSpec &spec : specs) {
        const int64_t bytes = round_up(spec.bytes, cache_line_bytes);
        const auto at = numbers.try_emplace(key(spec, bytes), static_cast<uint32_t>(groups_.size())).first;
        if (at->second == groups_.size())
            groups_.emplace_back();
        Group &group = groups_[at->second];
        group.slot_bytes = std::max(group.slot_bytes, bytes);
        group.slots = std::min(group.slots + 1, max_slots);
        group_of_.push_back(at->second);
    }
    for (const Group &group : groups_)
        bytes_ = checked_add(bytes_, checked_mul(group.slot_bytes, group.slots));
}

// Sends without a limit have a slot each, so the slots can be exactly as long as their messages.
ExchangeLayout::ExchangeLayout(const ExchangeSpec &spec)
    : sends(spec.sends,
            spec.send_credits == unlimited_credits ? StagingLayout::PoolBy::length
            : spec.pooled                          ? StagingLayout::PoolBy::all
                                                   : StagingLayout::PoolBy::peer,
            spec.send_credits),
      receives(spec.receives, spec.pooled ? StagingLayout::PoolBy::all : StagingLayout::PoolBy::peer,
               spec.receive_credits) {}

Staging::Staging(std::span<const MessageSpec> specs, const StagingLayout &layout, int world_size,
                 MessageMemory &memory)
    : specs_(specs.begin(), specs.end()), group_(layout.group_of_), slot_of_(specs.size(), nowhere),
      bytes_(layout.bytes()) {
    for (const MessageSpec &spec : specs) {
        check_peer(spec.peer, world_size);
        if (spec.bytes <= 0 || spec.bytes > max_message_bytes)
            fail(DRI_ERR_INTERNAL, "a message has {} bytes, but must have 1 to {}", spec.bytes, max_message_bytes);
    }
    memory_ = memory.take(bytes_);
    std::byte *next = memory_.data();
    int64_t slots = 0;
    for (const StagingLayout::Group &group : layout.groups_)
        slots += group.slots;
    slots_.reserve(static_cast<size_t>(slots));
    for (const StagingLayout::Group &group : layout.groups_) {
        std::vector<uint32_t> &free = free_.emplace_back().slots;
        free.reserve(static_cast<size_t>(group.slots));
        for (int64_t i = 0; i < group.slots; ++i, next += group.slot_bytes) {
            free.push_back(static_cast<uint32_t>(slots_.size()));
            slots_.push_back(next);
        }
        // The last free slot is taken first. After the reversal that is the lowest one.
        std::reverse(free.begin(), free.end());
        free_.back().count = free.size();
    }
}

std::vector<int> Staging::peers() const {
    std::vector<int> peers;
    for (const MessageSpec &spec : specs_)
        peers.push_back(spec.peer);
    return sorted_once(std::move(peers));
}

bool Staging::take(size_t i) {
    if (has_slot(i))
        return true;
    // No slot is free until another message of the group gives its slot back. The caller tries again then.
    FreeSlots &free = free_[group_[i]];
    if (free.count == 0)
        return false;
    slot_of_[i] = free.slots[--free.count];
    return true;
}

void Staging::give_back(size_t i) {
    if (!has_slot(i))
        return;
    FreeSlots &free = free_[group_[i]];
    free.slots[free.count++] = slot_of_[i];
    slot_of_[i] = nowhere;
}

} // namespace dri::transport
