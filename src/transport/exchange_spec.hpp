// What an exchange is prepared from: its messages, and how much memory they share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace dri::transport {

constexpr int64_t max_message_bytes = int64_t{1} << 30;
constexpr int64_t unlimited_credits = INT64_MAX;
constexpr int64_t in_staging = -1;
// Whether message i lies in the caller's memory. at: as in ExchangeSpec.
inline bool is_outside(std::span<const int64_t> at, size_t i) { return !at.empty() && at[i] != in_staging; }

// One message of an exchange: the peer, and the length. There may be many, so it takes 8 bytes.
struct MessageSpec {
    MessageSpec() = default;
    MessageSpec(int with, int64_t length) : peer(with), bytes(static_cast<int32_t>(std::min(length, longest))) {}

    static constexpr int64_t longest = INT32_MAX; // more than max_message_bytes: no exchange takes it
    int32_t peer = 0;
    int32_t bytes = 0; // > 0, at most max_message_bytes
};

// All that an exchange is prepared from.
struct ExchangeSpec {
    std::vector<MessageSpec> sends = {}, receives = {};
    int64_t tag = 0; // the same on both processes of a message
    // How many messages of one peer have memory at the same time. If sends have no limit, there is memory for all
    // sends of a frame.
    int64_t send_credits = unlimited_credits, receive_credits = unlimited_credits;
    // Whether the credits hold for the messages of all peers together, which receive their memory in the order of
    // the specs.
    bool pooled = false;
    // Whether a frame's sends are posted in the order of the specs, each at most once. The exchange then keeps no
    // list of them.
    bool in_order = false;
    bool dense = false; // slots of less than a cache line are as long as their messages
    // Messages that lie in the caller's memory and need no staging: for each the distance from the origin that
    // set_origin() is given, or in_staging. Empty: all are in staging. Of each peer the receives that lie there
    // come first, or each other receive has memory of its own, because receives are posted in order.
    std::vector<int64_t> sends_at = {}, receives_at = {};
    std::shared_ptr<const void> keeps = nullptr; // that memory, as long as a message may read or write it
    // Per send: whether the receiver answers each frame with one that shows that this send was received. Empty:
    // none does.
    std::vector<char> answered = {};
};

} // namespace dri::transport
