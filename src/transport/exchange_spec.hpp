// What an exchange is prepared from: its messages, and how much memory they share.
#pragma once

#include <cstdint>
#include <vector>

namespace dri::transport {

constexpr int64_t max_message_bytes = int64_t{1} << 30;
constexpr int64_t unlimited_credits = INT64_MAX;

// One message of an exchange: the peer, and the length.
struct MessageSpec {
    int peer = 0;
    int64_t bytes = 0; // > 0, at most max_message_bytes
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
};

} // namespace dri::transport
