// The loopback transport: set-up messages and exchanges between threads.
#include "base/error.hpp"
#include "support/exchange_waits.hpp"
#include "support/loopback_transport.hpp"
#include "support/work_while_waiting.hpp"
#include "unit/transport_threads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace {

using namespace dri;
using namespace dri::test;

// The expected value of byte `at` of a message of a frame between two ranks.
std::byte stamp(int from, int to, int message, int frame, int64_t at) {
    return static_cast<std::byte>((from * 131 + to * 31 + message * 17 + frame * 7 + at * 3) & 0xff);
}

void fill(std::byte *data, int64_t bytes, int from, int to, int message, int frame) {
    for (int64_t at = 0; at < bytes; ++at)
        data[at] = stamp(from, to, message, frame, at);
}

int64_t wrong_bytes(const std::byte *data, int64_t bytes, int from, int to, int message, int frame) {
    int64_t wrong = 0;
    for (int64_t at = 0; at < bytes; ++at)
        wrong += data[at] != stamp(from, to, message, frame, at);
    return wrong;
}

int64_t length(int from, int to, int message) { return 1 + (from * 53 + to * 29 + message * 71) % 300; }

// `messages` messages from each rank to each rank, itself included.
struct AllToAll {
    std::vector<transport::MessageSpec> sends, receives;
    int messages;
    AllToAll(int rank, int size, int per_peer) : messages(per_peer) {
        for (int peer = 0; peer < size; ++peer)
            for (int m = 0; m < messages; ++m) {
                sends.push_back({peer, length(rank, peer, m)});
                receives.push_back({peer, length(peer, rank, m)});
            }
    }
    int peer(size_t i) const { return static_cast<int>(i) / messages; }
    int message(size_t i) const { return static_cast<int>(i) % messages; }
};

void post_frame(transport::Exchange &exchange, const AllToAll &pattern, int rank, int frame) {
    for (size_t i = 0; i < pattern.sends.size(); ++i) {
        fill(exchange.send_data(i), pattern.sends[i].bytes, rank, pattern.peer(i), pattern.message(i), frame);
        exchange.post_send(i);
    }
}

void take_frame(transport::Exchange &exchange, const AllToAll &pattern, int rank, int frame) {
    std::vector<int> seen(pattern.receives.size(), 0);
    for (int64_t i; (i = wait_receive(exchange)) >= 0;) {
        const auto at = static_cast<size_t>(i);
        ASSERT_LT(at, seen.size());
        ++seen[at];
        EXPECT_EQ(wrong_bytes(exchange.receive_data(at), pattern.receives[at].bytes, pattern.peer(at), rank,
                              pattern.message(at), frame),
                  0)
            << "rank " << rank << ", from " << pattern.peer(at) << ", frame " << frame;
        exchange.release(at);
    }
    EXPECT_FALSE(exchange.receives_open());
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<int64_t>(seen.size()));
    EXPECT_EQ(wait_receive(exchange), -1);
}

class LoopbackSizes : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Transport, LoopbackSizes, testing::Values(1, 2, 3, 4, 7, 33));

TEST_P(LoopbackSizes, SetUpMessagesArriveInOrderPerPeerAndTag) {
    on_ranks(GetParam(), [](transport::Transport &t) {
        EXPECT_EQ(t.size(), GetParam());
        for (int peer = 0; peer < t.size(); ++peer)
            for (int tag : {0, 15})
                for (int i = 0; i < 3; ++i)
                    t.send(peer, tag, text(fmt::format("{} {} {}", t.rank(), tag, i)), soon());
        for (int peer = t.size() - 1; peer >= 0; --peer)
            for (int tag : {15, 0})
                for (int i = 0; i < 3; ++i)
                    EXPECT_EQ(as_string(t.receive(peer, tag, soon())), fmt::format("{} {} {}", peer, tag, i));
    });
}

TEST_P(LoopbackSizes, ManyFramesOfSeveralMessagesPerPeer) {
    on_ranks(GetParam(), [](transport::Transport &t) {
        const AllToAll pattern(t.rank(), t.size(), 3);
        const auto exchange = t.prepare({.sends = pattern.sends, .receives = pattern.receives, .tag = 5});
        for (int frame = 0; frame < 20; ++frame) {
            exchange->post_receives();
            post_frame(*exchange, pattern, t.rank(), frame);
            take_frame(*exchange, pattern, t.rank(), frame);
            wait_sends(*exchange);
            EXPECT_TRUE(exchange->sends_done());
        }
    });
}

TEST_P(LoopbackSizes, CreditsLimitTheMessagesOfEachPeer) {
    on_ranks(GetParam(), [](transport::Transport &t) {
        const AllToAll pattern(t.rank(), t.size(), 5);
        for (int64_t window : {1, 2, 4}) {
            const auto exchange = t.prepare(
                {.sends = pattern.sends, .receives = pattern.receives, .tag = 5, .receive_credits = window});
            EXPECT_LE(
                t.prepare({.receives = pattern.receives, .tag = 6, .receive_credits = window})->memory_bytes(),
                t.size() * window * 320);
            for (int frame = 0; frame < 5; ++frame) {
                exchange->post_receives();
                post_frame(*exchange, pattern, t.rank(), frame);
                take_frame(*exchange, pattern, t.rank(), frame);
                wait_sends(*exchange);
            }
        }
    });
}

// A message that is not released keeps its memory, and later messages of the peer wait for it.
TEST(Loopback, AMessageStaysUntilItIsReleased) {
    on_ranks(1, [](transport::Transport &t) {
        const std::vector<transport::MessageSpec> specs(3, {0, 8});
        const auto exchange = t.prepare({.sends = specs, .receives = specs, .receive_credits = 2});
        exchange->post_receives();
        EXPECT_EQ(exchange->try_receive(), -1) << "nothing has arrived";
        for (size_t i = 0; i < specs.size(); ++i) {
            *exchange->send_data(i) = static_cast<std::byte>(i + 1);
            exchange->post_send(i);
        }
        EXPECT_EQ(exchange->try_receive(), 0);
        EXPECT_EQ(exchange->try_receive(), 1);
        EXPECT_EQ(exchange->try_receive(), -1) << "no memory";
        EXPECT_EQ(exchange->sends_under_way(), 1u);
        EXPECT_TRUE(exchange->receives_open());
        EXPECT_EQ(*exchange->receive_data(0), std::byte{1});
        EXPECT_EQ(*exchange->receive_data(1), std::byte{2});
        exchange->release(1);
        EXPECT_EQ(exchange->try_receive(), 2);
        EXPECT_EQ(*exchange->receive_data(0), std::byte{1});
        EXPECT_EQ(*exchange->receive_data(2), std::byte{3});
        EXPECT_FALSE(exchange->receives_open());
    });
}

TEST_P(LoopbackSizes, ExchangesWithDifferentTagsDoNotMix) {
    on_ranks(GetParam(), [](transport::Transport &t) {
        const AllToAll few(t.rank(), t.size(), 1), many(t.rank(), t.size(), 2);
        const auto first = t.prepare({.sends = few.sends, .receives = few.receives});
        const auto second =
            t.prepare({.sends = many.sends, .receives = many.receives, .tag = t.exchange_tags() - 1});
        for (int frame = 0; frame < 5; ++frame) {
            first->post_receives();
            second->post_receives();
            post_frame(*first, few, t.rank(), frame);
            post_frame(*second, many, t.rank(), frame + 100);
            take_frame(*second, many, t.rank(), frame + 100);
            take_frame(*first, few, t.rank(), frame);
            wait_sends(*first);
            wait_sends(*second);
        }
    });
}

TEST(Loopback, SendsRunAheadOfTheirReceiver) {
    on_ranks(2, [](transport::Transport &t) {
        const std::vector<transport::MessageSpec> specs = {{1 - t.rank(), 100}};
        if (t.rank() == 0) {
            const auto exchange = t.prepare({.sends = specs, .tag = 1});
            for (int frame = 0; frame < 10; ++frame) {
                wait_sends(*exchange);
                fill(exchange->send_data(0), 100, 0, 1, 0, frame);
                exchange->post_send(0);
            }
            EXPECT_THROW(exchange->post_send(0), Error);
            t.send(1, 0, text("posted"), soon());
            wait_sends(*exchange);
        } else {
            const auto exchange = t.prepare({.receives = specs, .tag = 1});
            for (int frame = 0; frame < 10; ++frame) {
                // The set-up message shows that the last frame is posted before this rank posts its receive.
                if (frame == 9) {
                    EXPECT_EQ(as_string(t.receive(0, 0, soon())), "posted");
                }
                exchange->post_receives();
                EXPECT_EQ(wait_receive(*exchange), 0);
                EXPECT_EQ(wrong_bytes(exchange->receive_data(0), 100, 0, 1, 0, frame), 0);
            }
        }
    });
}

TEST(Loopback, SendsOutliveTheirExchange) {
    on_ranks(3, [](transport::Transport &t) {
        const AllToAll pattern(t.rank(), t.size(), 2);
        for (int round = 0; round < 4; ++round) {
            auto exchange = t.prepare({.sends = pattern.sends, .tag = round});
            post_frame(*exchange, pattern, t.rank(), round);
            exchange.reset();
        }
        for (int round = 3; round >= 0; --round) {
            const auto exchange = t.prepare({.receives = pattern.receives, .tag = round});
            exchange->post_receives();
            take_frame(*exchange, pattern, t.rank(), round);
        }
    });
}

TEST(Loopback, CloseDropsMessagesThatNobodyReceives) {
    on_ranks(3, [](transport::Transport &t) {
        const AllToAll pattern(t.rank(), t.size(), 1);
        auto exchange = t.prepare({.sends = pattern.sends, .receives = pattern.receives});
        exchange->post_receives();
        post_frame(*exchange, pattern, t.rank(), 0);
        exchange.reset();
        t.send((t.rank() + 1) % 3, 3, text("unread"), soon());
        t.close(soon());
        t.close(soon());
        EXPECT_EQ(code_of([&] { t.send(0, 0, {}, soon()); }), DRI_ERR_STATE);
        EXPECT_EQ(code_of([&] { t.receive(0, 0, soon()); }), DRI_ERR_STATE);
        EXPECT_EQ(code_of([&] { t.prepare(transport::ExchangeSpec{}); }), DRI_ERR_STATE);
    });
}

TEST(Loopback, CloseNamesTheMissingProcess) {
    on_ranks(3, [](transport::Transport &t) {
        if (t.rank() == 1) {
            const auto error = error_of([&] { t.close(at_once()); });
            EXPECT_EQ(error.code(), DRI_ERR_TIMEOUT);
            EXPECT_TRUE(std::string(error.what()).ends_with("processes 0, 2")) << error.what();
            for (int peer : {0, 2})
                t.send(peer, 0, text("come"), soon());
        } else {
            EXPECT_EQ(as_string(t.receive(1, 0, soon())), "come");
        }
        t.close(soon());
        EXPECT_EQ(code_of([&] { t.send(0, 0, {}, soon()); }), DRI_ERR_STATE);
    });
}

TEST(Loopback, ReceiveGivesUpAtTheDeadline) {
    on_ranks(2, [](transport::Transport &t) {
        if (t.rank() == 0) {
            const auto deadline = transport::Clock::now() + std::chrono::milliseconds(30);
            const auto error = error_of([&] { t.receive(1, 4, deadline); });
            EXPECT_EQ(error.code(), DRI_ERR_TIMEOUT);
            EXPECT_NE(std::string(error.what()).find("process 1"), std::string::npos) << error.what();
            EXPECT_GE(transport::Clock::now(), deadline);
            t.send(1, 0, text("go on"), soon());
            EXPECT_EQ(as_string(t.receive(1, 4, soon())), "late");
            // A message that has arrived is received even if the deadline has passed.
            t.send(0, 7, text("mine"), transport::Clock::now());
            EXPECT_EQ(as_string(t.receive(0, 7, transport::Clock::now() - std::chrono::seconds(1))), "mine");
        } else {
            EXPECT_EQ(as_string(t.receive(0, 0, soon())), "go on");
            t.send(0, 4, text("late"), soon());
        }
    });
}

TEST(Loopback, APeerThatLeavesEndsTheWaits) {
    on_ranks(3, [](transport::Transport &t) {
        const std::vector<transport::MessageSpec> to_0 = {{0, 100}}, to_others = {{1, 100}, {2, 100}};
        // Rank 0 sends to both others. Rank 1 leaves after one frame, then rank 0 after three.
        if (t.rank() == 0) {
            const auto exchange = t.prepare({.sends = to_others, .tag = 1});
            for (int frame = 0; frame < 3; ++frame) {
                wait_sends(*exchange);
                for (size_t i : {0u, 1u})
                    if (exchange->departures().takes(i)) {
                        fill(exchange->send_data(i), 100, 0, to_others[i].peer, 0, frame);
                        exchange->post_send(i);
                    }
            }
            wait_sends(*exchange); // rank 1 has not received its last message
            EXPECT_FALSE(exchange->departures().takes(0));
            EXPECT_TRUE(exchange->departures().takes(1));
            EXPECT_FALSE(exchange->departures().of_all_receivers());
            EXPECT_FALSE(exchange->departures().complete_receiver());
            exchange->leave(3, transport::Leave::early);
            EXPECT_EQ(as_string(t.receive(2, 0, soon())), "left");
            const auto all = exchange->departures().of_all_receivers();
            ASSERT_TRUE(all);
            EXPECT_EQ(all->peer, 2);
            EXPECT_EQ(all->frames, 3);
            const auto complete = exchange->departures().complete_receiver();
            ASSERT_TRUE(complete);
            EXPECT_EQ(complete->peer, 2);
            EXPECT_EQ(complete->frames, 3);
            return;
        }
        const auto exchange = t.prepare({.receives = to_0, .tag = 1});
        const auto other = t.prepare({.receives = to_0, .tag = 2});
        const int frames = t.rank() == 1 ? 1 : 3;
        for (int frame = 0; frame < frames; ++frame) {
            exchange->post_receives();
            EXPECT_EQ(wait_receive(*exchange), 0);
            EXPECT_EQ(wrong_bytes(exchange->receive_data(0), 100, 0, t.rank(), 0, frame), 0);
        }
        if (t.rank() == 2) {
            exchange->post_receives();
            const transport::Departure left = wait_departure(*exchange, 3, 0);
            EXPECT_EQ(left.peer, 0);
            EXPECT_EQ(left.frames, 3);
            EXPECT_FALSE(exchange->departures().before(2, 0));
            EXPECT_EQ(exchange->try_receive(), -1) << "a frame without a sender";
            EXPECT_FALSE(other->departures().any()) << "the notice is for one tag";
        }
        exchange->leave(frames, transport::complete_if(t.rank() == 2));
        if (t.rank() == 2)
            t.send(0, 0, text("left"), soon());
    });
}

TEST(Loopback, WaitsDoOtherWork) { on_ranks(3, expect_work_while_waiting); }

TEST(Loopback, RefusesArgumentsOutOfRange) {
    on_ranks(2, [](transport::Transport &t) {
        const transport::MessageSpec good{0, 8}, far{2, 8}, empty{0, 0}, huge{0, transport::max_message_bytes + 1};
        for (const transport::MessageSpec &bad : {far, empty, huge}) {
            EXPECT_EQ(code_of([&] { t.prepare({.sends = {bad}}); }), DRI_ERR_INTERNAL);
            EXPECT_EQ(code_of([&] { t.prepare({.receives = {bad}}); }), DRI_ERR_INTERNAL);
        }
        EXPECT_EQ(code_of([&] { t.prepare({.sends = {good}, .tag = t.exchange_tags()}); }), DRI_ERR_INTERNAL);
        EXPECT_EQ(code_of([&] { t.send(-1, 0, {}, soon()); }), DRI_ERR_INTERNAL);
        EXPECT_EQ(code_of([&] { t.send(0, 16, {}, soon()); }), DRI_ERR_INTERNAL);
    });
}

TEST(Loopback, MessageOfAnotherLengthIsAnError) {
    on_ranks(2, [](transport::Transport &t) {
        const transport::MessageSpec slot{1 - t.rank(), t.rank() == 0 ? 8 : 9};
        const auto exchange = t.prepare({.sends = {slot}, .receives = {slot}});
        exchange->post_receives();
        exchange->post_send(0);
        EXPECT_EQ(code_of([&] { wait_receive(*exchange); }), DRI_ERR_TRANSPORT);
        wait_sends(*exchange);
    });
}

TEST(Loopback, StagingStartsAtCacheLines) {
    on_ranks(1, [](transport::Transport &t) {
        const std::vector<transport::MessageSpec> specs{{0, 1}, {0, 64}, {0, 65}, {0, 1000}};
        const auto exchange = t.prepare({.sends = specs, .receives = specs});
        exchange->post_receives();
        for (size_t i = 0; i < specs.size(); ++i) {
            EXPECT_EQ(reinterpret_cast<uintptr_t>(exchange->send_data(i)) % 64, 0u);
            exchange->post_send(i);
            ASSERT_EQ(wait_receive(*exchange), static_cast<int64_t>(i));
            EXPECT_EQ(reinterpret_cast<uintptr_t>(exchange->receive_data(i)) % 64, 0u);
        }
    });
}

TEST(Loopback, RingOfAThousandRanks) {
    on_ranks(1024, [](transport::Transport &t) {
        const int n = t.size();
        const std::vector<transport::MessageSpec> sends{{(t.rank() + 1) % n, 16}},
            receives{{(t.rank() + n - 1) % n, 16}};
        const auto exchange = t.prepare({.sends = sends, .receives = receives});
        for (int frame = 0; frame < 3; ++frame) {
            exchange->post_receives();
            fill(exchange->send_data(0), 16, t.rank(), sends[0].peer, 0, frame);
            exchange->post_send(0);
            EXPECT_EQ(wait_receive(*exchange), 0);
            EXPECT_EQ(wrong_bytes(exchange->receive_data(0), 16, receives[0].peer, t.rank(), 0, frame), 0);
            wait_sends(*exchange);
        }
    });
}

} // namespace
