// Credits of the loopback transport: fewer slots than messages.
#include "support/exchange_waits.hpp"
#include "support/loopback_transport.hpp"
#include "transport/staging.hpp"
#include "unit/transport_threads.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace {

using namespace dri;
using namespace dri::test;

// A message without memory receives that of an earlier message to the same peer, once that was received.
TEST(Loopback, SendsWithCreditsWaitForMemory) {
    on_ranks(1, [](transport::Transport &t) {
        const std::vector<transport::MessageSpec> specs(4, {0, 8});
        const auto exchange = t.prepare({.sends = specs, .receives = specs, .send_credits = 2});
        EXPECT_EQ(exchange->memory_bytes(), (4 + 2) * 64);
        exchange->post_receives();
        for (size_t i = 0; i < specs.size(); ++i) {
            std::byte *to = exchange->send_data(i);
            EXPECT_EQ(to == nullptr, i >= 2) << i;
            if (!to) {
                EXPECT_EQ(exchange->try_receive(), static_cast<int64_t>(i - 2));
                EXPECT_EQ(*exchange->receive_data(i - 2), static_cast<std::byte>(i - 1));
                to = exchange->send_data(i);
                ASSERT_NE(to, nullptr) << i;
            }
            *to = static_cast<std::byte>(i + 1);
            exchange->post_send(i);
        }
        EXPECT_EQ(exchange->try_receive(), 2);
        EXPECT_EQ(exchange->try_receive(), 3);
        EXPECT_EQ(*exchange->receive_data(3), std::byte{4});
        EXPECT_TRUE(exchange->sends_done());
    });
}

// One slot for the messages of all peers, used in the order of their specs, whichever arrives first.
TEST(Loopback, CreditsMayBeSharedByAllPeers) {
    on_ranks(2, [](transport::Transport &t) {
        const bool receives = t.rank() == 0;
        const std::vector<transport::MessageSpec> to{{0, 8}, {0, 100}}, from{{1, 8}, {0, 8}, {0, 100}, {1, 100}};
        const auto out = t.prepare({.sends = to, .send_credits = 1, .pooled = true});
        EXPECT_EQ(out->memory_bytes(), 128);
        const auto in = receives ? t.prepare({.receives = from, .receive_credits = 1, .pooled = true}) : nullptr;
        const auto send = [&](size_t i) {
            std::byte *const at = out->send_data(i);
            ASSERT_NE(at, nullptr) << i;
            *at = static_cast<std::byte>(10 * t.rank() + static_cast<int>(i));
            out->post_send(i);
        };
        if (!receives) {
            t.receive(0, 0, soon());
            send(0);
            wait_sends(*out);
            send(1);
            return wait_sends(*out);
        }
        EXPECT_EQ(in->memory_bytes(), 128);
        in->post_receives();
        send(0);
        EXPECT_EQ(out->send_data(1), nullptr) << "the other message has the slot";
        EXPECT_EQ(in->try_receive(), -1) << "the message that arrived is not the first one";
        t.send(1, 0, {}, soon());
        const std::byte sent[]{std::byte{10}, std::byte{0}, std::byte{1}, std::byte{11}};
        for (size_t i = 0; i < from.size(); ++i) {
            EXPECT_EQ(wait_receive(*in), static_cast<int64_t>(i));
            EXPECT_EQ(*in->receive_data(i), sent[i]);
            EXPECT_EQ(in->try_receive(), -1) << "no slot";
            in->release(i);
            if (i == 1)
                send(1);
        }
    });
}

// A message outside staging is read and written where the caller has it.
TEST(Loopback, MessagesMayLieInTheMemoryOfTheCaller) {
    on_ranks(2, [](transport::Transport &t) {
        const int peer = 1 - t.rank();
        const std::vector<transport::MessageSpec> specs{{peer, 4}, {peer, 3}};
        const auto exchange = t.prepare(
            {.sends = specs, .receives = specs, .sends_at = {transport::in_staging, 2}, .receives_at = {1, -1}});
        for (int frame = 0; frame < 3; ++frame) {
            std::string sent = "..abc", received = "......";
            exchange->set_origin(reinterpret_cast<std::byte *>(received.data()));
            exchange->post_receives();
            exchange->set_origin(reinterpret_cast<std::byte *>(sent.data()));
            std::memcpy(exchange->send_data(0), "wxyz", 4);
            EXPECT_EQ(std::memcmp(exchange->send_data(1), "abc", 3), 0);
            exchange->post_send(0);
            exchange->post_send(1);
            exchange->set_origin(reinterpret_cast<std::byte *>(received.data()));
            for (int64_t i : {0, 1})
                EXPECT_EQ(wait_receive(*exchange), i);
            EXPECT_EQ(received, ".wxyz.");
            EXPECT_EQ(std::memcmp(exchange->receive_data(1), "abc", 3), 0);
            wait_sends(*exchange);
        }
    });
}

// Slots are whole cache lines of 64 bytes.
TEST(ExchangeLayout, ReportsWhatAnExchangeReserves) {
    const std::vector<transport::MessageSpec> messages{{0, 8}, {0, 100}, {0, 100}, {1, 8}};
    struct Case {
        transport::ExchangeSpec spec;
        int64_t bytes;
    };
    const std::vector<Case> cases{
        {{.sends = messages}, 64 + 128 + 128 + 64},
        {{.sends = messages, .send_credits = 1}, 128 + 64},
        {{.sends = messages, .send_credits = 2}, 2 * 128 + 64},
        {{.sends = messages, .send_credits = 2, .pooled = true}, 2 * 128},
        {{.receives = messages}, 3 * 128 + 64},
        {{.receives = messages, .receive_credits = 2}, 2 * 128 + 64},
        {{.receives = messages, .receive_credits = 3, .pooled = true}, 3 * 128},
        {{.sends = messages, .receives = messages, .send_credits = 1, .receive_credits = 9}, 192 + 448},
        {{.sends = messages, .sends_at = {-1, 0, -1, 5}}, 64 + 128},
        {{.receives = messages, .receive_credits = 2, .pooled = true, .receives_at = {-1, 0, 7, -1}}, 2 * 64},
        {{}, 0},
    };
    on_ranks(2, [&](transport::Transport &t) {
        for (size_t i = 0; i < cases.size(); ++i) {
            EXPECT_EQ(transport::ExchangeLayout(cases[i].spec).bytes(), cases[i].bytes) << i;
            EXPECT_EQ(t.prepare(cases[i].spec)->memory_bytes(), cases[i].bytes) << i;
        }
    });
}

} // namespace
