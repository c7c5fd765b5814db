// Messages from every process to every process. Each word of a message names the process that sent it.
#pragma once

#include "support/exchange_waits.hpp"
#include "transport/transport.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace dri::test {

using dri::transport::Exchange, dri::transport::MessageSpec, dri::transport::Transport;

// The expected value of one 8-byte word: it encodes sender, receiver, message, frame and position in the message.
inline uint64_t stamp(int from, int to, int message, int frame, int64_t at) {
    return (static_cast<uint64_t>(from) << 56) ^ (static_cast<uint64_t>(to) << 48) ^
           (static_cast<uint64_t>(message) << 40) ^ (static_cast<uint64_t>(frame) << 24) ^
           static_cast<uint64_t>(at);
}

// `messages` messages from each process to each process, itself included. Each has at least `words` words.
struct AllToAll {
    AllToAll(Transport &transport, int per_peer, int64_t min_words)
        : rank(transport.rank()), messages(per_peer), words(min_words) {
        for (int peer = 0; peer < transport.size(); ++peer)
            for (int m = 0; m < messages; ++m) {
                sends.push_back({peer, 8 * length(rank, peer, m)});
                receives.push_back({peer, 8 * length(peer, rank, m)});
            }
    }
    int64_t length(int from, int to, int message) const { return words + from * 3 + to * 5 + message; }

    void post(Exchange &exchange, int frame) const {
        for (size_t i = 0; i < sends.size(); ++i) {
            if (!exchange.departures().takes(i))
                continue;
            auto *data = reinterpret_cast<uint64_t *>(exchange.send_data(i));
            for (int64_t at = 0; at < sends[i].bytes / 8; ++at)
                data[at] = stamp(rank, sends[i].peer, static_cast<int>(i) % messages, frame, at);
            exchange.post_send(i);
        }
    }

    void take(Exchange &exchange, int frame) const {
        std::vector<int> seen(receives.size(), 0);
        for (int64_t i; (i = wait_receive(exchange)) >= 0;) {
            const auto slot = static_cast<size_t>(i);
            ASSERT_LT(slot, seen.size());
            ++seen[slot];
            const auto *data = reinterpret_cast<const uint64_t *>(exchange.receive_data(slot));
            int64_t wrong = 0;
            for (int64_t at = 0; at < receives[slot].bytes / 8; ++at)
                wrong +=
                    data[at] != stamp(receives[slot].peer, rank, static_cast<int>(slot) % messages, frame, at);
            EXPECT_EQ(wrong, 0) << "message " << i << " of frame " << frame;
            exchange.release(slot);
        }
        EXPECT_FALSE(exchange.receives_open());
        EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<int64_t>(seen.size()));
    }

    int rank, messages;
    int64_t words;
    std::vector<MessageSpec> sends, receives;
};

} // namespace dri::test
