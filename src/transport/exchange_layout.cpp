// Assigns the messages of an exchange to groups of slots, and numbers their peers.
#include "transport/exchange_layout.hpp"

#include "base/checked.hpp"
#include "base/memory.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

namespace dri::transport {

namespace {

// Numbers keys from 0 in the order in which they come first. Neighbours usually have the same key.
template <class Key> class Numbers {
public:
    // The key's number, and whether it is new.
    std::pair<uint32_t, bool> of(Key key) {
        if (!numbers_.empty() && key == last_key_)
            return {last_, false};
        const auto [at, is_new] = numbers_.try_emplace(key, static_cast<uint32_t>(numbers_.size()));
        last_key_ = key;
        last_ = at->second;
        return {last_, is_new};
    }

private:
    std::unordered_map<Key, uint32_t> numbers_;
    Key last_key_{};
    uint32_t last_ = 0;
};

} // namespace

// A group's slots are as long as its longest message, rounded up to whole cache lines unless the slots are dense.
StagingLayout::StagingLayout(std::span<const MessageSpec> specs, std::span<const int64_t> at, PoolBy pool,
                             int64_t credits, bool dense) {
    constexpr int64_t outside = -1; // no length and no rank
    Numbers<int64_t> numbers;
    const auto key = [&](const MessageSpec &spec, int64_t bytes) -> int64_t {
        return pool == PoolBy::length ? bytes : pool == PoolBy::peer ? spec.peer : 0;
    };
    const int64_t max_slots = pool == PoolBy::length ? unlimited_credits : credits;
    group_of_.reserve(specs.size());
    for (size_t i = 0; i < specs.size(); ++i) {
        const bool needs_slot = !is_outside(at, i);
        const int64_t length = specs[i].bytes;
        const int64_t bytes = !needs_slot                          ? 0
                              : dense && length < cache_line_bytes ? length
                                                                   : round_up(length, cache_line_bytes);
        const auto [number, is_new] = numbers.of(needs_slot ? key(specs[i], bytes) : outside);
        if (is_new)
            groups_.emplace_back();
        Group &group = groups_[number];
        group.slot_bytes = std::max(group.slot_bytes, bytes);
        group.slots = needs_slot ? std::min(group.slots + 1, max_slots) : group.slots + 1;
        group_of_.push_back(number);
    }
    for (Group &group : groups_) {
        group.first = slots_;
        group.begin = bytes_;
        slots_ += group.slots;
        bytes_ = checked_add(bytes_, checked_mul(group.slot_bytes, group.slots));
    }
}

MessagePeers::MessagePeers(std::span<const MessageSpec> messages) {
    Numbers<int> numbers;
    for (size_t i = 0; i < messages.size(); ++i) {
        const auto [number, is_new] = numbers.of(messages[i].peer);
        if (is_new)
            ranks_.push_back(messages[i].peer);
        if (i == 0 || number != stretches_.back().number)
            stretches_.push_back({static_cast<uint32_t>(i), number});
    }
    stretches_.shrink_to_fit();
}

uint32_t MessagePeers::number(size_t message) const {
    const auto behind = std::upper_bound(stretches_.begin(), stretches_.end(), message,
                                         [](size_t i, const Stretch &s) { return i < s.first; });
    return std::prev(behind)->number;
}

// Sends without a limit have a slot each, so the slots can be exactly as long as their messages.
ExchangeLayout::ExchangeLayout(ExchangeSpec from)
    : spec(std::move(from)), sends(spec.sends, spec.sends_at,
                                   spec.send_credits == unlimited_credits ? StagingLayout::PoolBy::length
                                   : spec.pooled                          ? StagingLayout::PoolBy::all
                                                                          : StagingLayout::PoolBy::peer,
                                   spec.send_credits, spec.dense),
      receives(spec.receives, spec.receives_at,
               spec.pooled ? StagingLayout::PoolBy::all : StagingLayout::PoolBy::peer, spec.receive_credits,
               spec.dense),
      receivers(spec.sends), senders(spec.receives) {}

} // namespace dri::transport
