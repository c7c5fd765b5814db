// The MPI transport: set-up messages, exchanges, and what happens to unfinished work.
#include "support/all_to_all.hpp"
#include "support/exchange_waits.hpp"
#include "support/mpi_counter.hpp"
#include "support/set_up_words.hpp"
#include "transport/mpi_transport.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <functional>
#include <string>

namespace dri::test {

long unreceived_messages() { return mpi_calls.unreceived; }
void pause_before_sends(int ms) { mpi_calls.pause_ms = ms; }

} // namespace dri::test

namespace {

using namespace dri;
using namespace dri::test;

class MpiTransportTest : public testing::Test {
protected:
    void SetUp() override { transport = transport::make_mpi_transport(MPI_COMM_WORLD); }
    void TearDown() override {
        if (transport)
            transport->close(soon());
    }
    std::unique_ptr<transport::Transport> transport;
};

TEST_F(MpiTransportTest, KnowsItsRankAndSize) {
    int rank = -1, size = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    EXPECT_EQ(transport->rank(), rank);
    EXPECT_EQ(transport->size(), size);
    EXPECT_GE(transport->exchange_tags(), 32768 - 17);
}

TEST_F(MpiTransportTest, SetUpMessagesArriveInOrderPerPeerAndTag) {
    const int size = transport->size(), rank = transport->rank();
    // The longest message exceeds what MPI sends without a receiver.
    for (size_t length : {size_t{0}, size_t{10}, size_t{3} << 20}) {
        const int next = (rank + 1) % size, last = (rank + size - 1) % size;
        for (int turn = 0; turn < 2; ++turn) {
            const bool sends = (rank % 2 == 0) == (turn == 0), receives = (last % 2 == 0) == (turn == 0);
            for (int tag : {0, 15})
                if (sends)
                    transport->send(next, tag, text(std::string(length, 'a')), soon());
            for (int tag : {0, 15})
                if (receives) {
                    EXPECT_EQ(as_string(transport->receive(last, tag, soon())), std::string(length, 'a'));
                }
        }
    }
    for (int peer = 0; peer < size; ++peer)
        for (int i = 0; i < 3; ++i)
            transport->send(peer, 7, text(std::to_string(rank) + " " + std::to_string(i)), soon());
    for (int peer = size - 1; peer >= 0; --peer)
        for (int i = 0; i < 3; ++i)
            EXPECT_EQ(as_string(transport->receive(peer, 7, soon())),
                      std::to_string(peer) + " " + std::to_string(i));
    EXPECT_FALSE(transport->try_receive(0, 7));
}

TEST_F(MpiTransportTest, UsersMessagesAreNotDisturbed) {
    int sent = 100 + transport->rank(), got = 0;
    MPI_Request request;
    MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    transport->send(transport->rank(), 3, text("mine"), soon());
    EXPECT_EQ(as_string(transport->receive(transport->rank(), 3, soon())), "mine");
    MPI_Send(&sent, 1, MPI_INT, transport->rank(), 3, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQ(got, sent);
}

TEST_F(MpiTransportTest, DeadlinesAreKept) {
    const int peer = (transport->rank() + 1) % transport->size();
    const auto deadline = transport::Clock::now() + std::chrono::milliseconds(30);
    EXPECT_EQ(code_of([&] { transport->receive(peer, 1, deadline); }), DRI_ERR_TIMEOUT);
    EXPECT_GE(transport::Clock::now(), deadline);
    // More than MPI sends ahead, and no process receives before all deadlines have passed.
    const std::string big(size_t{8} << 20, 'b');
    const DRI_Code code = code_of(
        [&] { transport->send(peer, 2, text(big), transport::Clock::now() + std::chrono::milliseconds(30)); });
    EXPECT_EQ(code, peer == transport->rank() ? DRI_SUCCESS : DRI_ERR_TIMEOUT);
    MPI_Barrier(MPI_COMM_WORLD);
    // A send that timed out still completes later.
    const int last = (transport->rank() + transport->size() - 1) % transport->size();
    EXPECT_EQ(as_string(transport->receive(last, 2, soon())), big);
}

TEST_F(MpiTransportTest, ManyFramesOfSeveralMessagesPerPeer) {
    for (int64_t words : {1, 3000, 40000}) {
        const AllToAll pattern(*transport, 3, words);
        const auto exchange = transport->prepare({.sends = pattern.sends, .receives = pattern.receives, .tag = 5});
        for (int frame = 0; frame < (words == 1 ? 200 : 10); ++frame) {
            exchange->post_receives();
            pattern.post(*exchange, frame);
            pattern.take(*exchange, frame);
            EXPECT_EQ(wait_receive(*exchange), -1);
            wait_sends(*exchange);
            EXPECT_TRUE(exchange->sends_done());
        }
    }
}

TEST_F(MpiTransportTest, CreditsLimitTheMessagesOfEachPeer) {
    for (int64_t words : {1, 40000}) {
        const AllToAll pattern(*transport, 5, words);
        for (int64_t window : {1, 3}) {
            const auto exchange = transport->prepare(
                {.sends = pattern.sends, .receives = pattern.receives, .tag = 5, .receive_credits = window});
            EXPECT_LE(exchange->memory_bytes(), transport->size() * (5 + window) * 8 * (words + 100));
            for (int frame = 0; frame < 10; ++frame) {
                exchange->post_receives();
                pattern.post(*exchange, frame);
                pattern.take(*exchange, frame);
                wait_sends(*exchange);
            }
        }
    }
}

// Reusing the same memory keeps it in cache.
TEST_F(MpiTransportTest, AMessageReusesTheMemoryOfOneThatHasLeft) {
    const std::vector<transport::MessageSpec> specs(3, {transport->rank(), 1 << 20});
    const auto exchange = transport->prepare({.sends = specs, .receives = specs, .tag = 5, .receive_credits = 1});
    exchange->post_receives();
    std::byte *const first = exchange->send_data(0);
    exchange->post_send(0);
    EXPECT_EQ(wait_receive(*exchange), 0);
    EXPECT_EQ(exchange->try_receive(), -1) << "there is memory for one";
    while (exchange->sends_under_way() > 0) {
    }
    EXPECT_EQ(exchange->send_data(1), first);
    exchange->post_send(1);
    EXPECT_NE(exchange->send_data(2), first) << "message 1 still needs it";
    exchange->post_send(2);
    for (int i : {0, 1}) {
        exchange->release(static_cast<size_t>(i));
        EXPECT_EQ(wait_receive(*exchange), i + 1);
    }
    wait_sends(*exchange);
}

// The cost of a test grows with the number of pending messages, so tests must be few.
TEST_F(MpiTransportTest, ThousandsOfMessagesNeedFewTests) {
    constexpr int messages = 20000;
    std::vector<transport::MessageSpec> specs(messages, {transport->rank(), 1});
    const auto exchange = transport->prepare({.sends = specs, .receives = specs, .tag = 6});
    for (int frame = 0; frame < 2; ++frame) {
        exchange->post_receives();
        for (size_t i = 0; i < specs.size(); ++i) {
            *exchange->send_data(i) = static_cast<std::byte>(i + static_cast<size_t>(frame));
            exchange->post_send(i);
        }
        wait_sends(*exchange);
        const long before = mpi_calls.questions;
        std::vector<int> seen(specs.size(), 0);
        for (int64_t i; (i = wait_receive(*exchange)) >= 0;) {
            const auto at = static_cast<size_t>(i);
            ++seen[at];
            ASSERT_EQ(*exchange->receive_data(at), static_cast<std::byte>(at + static_cast<size_t>(frame)));
        }
        EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), messages);
        EXPECT_GE(mpi_calls.questions - before, 1) << "the counter counts";
        EXPECT_LT(mpi_calls.questions - before, messages / 100);
    }
}

TEST_F(MpiTransportTest, ExchangesWithDifferentTagsDoNotMix) {
    const AllToAll few(*transport, 1, 10), many(*transport, 2, 20);
    const auto first = transport->prepare({.sends = few.sends, .receives = few.receives});
    const auto second = transport->prepare(
        {.sends = many.sends, .receives = many.receives, .tag = transport->exchange_tags() - 1});
    for (int frame = 0; frame < 20; ++frame) {
        first->post_receives();
        second->post_receives();
        few.post(*first, frame);
        many.post(*second, frame + 1000);
        many.take(*second, frame + 1000);
        few.take(*first, frame);
        wait_sends(*first);
        wait_sends(*second);
    }
}

TEST_F(MpiTransportTest, SendsRunAheadOfTheirReceiver) {
    const AllToAll pattern(*transport, 2, 50);
    // Two exchanges on one tag, as a source with two buffers prepares them.
    const std::unique_ptr<transport::Exchange> out[] = {transport->prepare({.sends = pattern.sends, .tag = 3}),
                                                        transport->prepare({.sends = pattern.sends, .tag = 3})};
    const auto in = transport->prepare({.receives = pattern.receives, .tag = 3});
    pattern.post(*out[0], 0);
    for (int frame = 1; frame < 50; ++frame) {
        wait_sends(*out[frame % 2]);
        pattern.post(*out[frame % 2], frame);
        in->post_receives();
        pattern.take(*in, frame - 1);
    }
    in->post_receives();
    pattern.take(*in, 49);
}

TEST_F(MpiTransportTest, WrongUseOfAnExchangeIsRefused) {
    const transport::MessageSpec self{transport->rank(), 64}, far{transport->size(), 64}, empty{0, 0};
    EXPECT_EQ(code_of([&] { transport->prepare({.sends = {far}}); }), DRI_ERR_INTERNAL);
    EXPECT_EQ(code_of([&] { transport->prepare({.receives = {empty}}); }), DRI_ERR_INTERNAL);
    EXPECT_EQ(code_of([&] { transport->prepare({.tag = transport->exchange_tags()}); }), DRI_ERR_INTERNAL);
    EXPECT_EQ(code_of([&] { transport->send(transport->size(), 0, {}, soon()); }), DRI_ERR_INTERNAL);
    EXPECT_EQ(code_of([&] { transport->receive(0, 16, soon()); }), DRI_ERR_INTERNAL);

    const auto exchange = transport->prepare({.sends = {self}, .receives = {self}});
    exchange->post_receives();
    EXPECT_EQ(code_of([&] { exchange->post_receives(); }), DRI_ERR_INTERNAL);
    exchange->post_send(0);
    EXPECT_EQ(code_of([&] { exchange->post_send(0); }), DRI_ERR_INTERNAL);
    EXPECT_EQ(wait_receive(*exchange), 0);
    wait_sends(*exchange);
}

TEST_F(MpiTransportTest, MessageOfAnotherLengthIsAnError) {
    const int size = transport->size(), rank = transport->rank();
    const transport::MessageSpec expected{(rank + size - 1) % size, 16};
    for (int64_t bytes : {8, 24}) {
        // Open MPI truncates a message of a process to itself without an error.
        if (size == 1 && bytes > expected.bytes)
            continue;
        const transport::MessageSpec sent{(rank + 1) % size, bytes};
        const auto exchange = transport->prepare({.sends = {sent}, .receives = {expected}});
        exchange->post_receives();
        exchange->post_send(0);
        EXPECT_EQ(code_of([&] { wait_receive(*exchange); }), DRI_ERR_TRANSPORT);
    }
}

TEST_F(MpiTransportTest, SendsOutliveTheirExchange) {
    // The long messages wait for their receivers.
    for (int64_t words : {10, 100000}) {
        const AllToAll pattern(*transport, 2, words);
        for (int round = 0; round < 4; ++round) {
            auto exchange = transport->prepare({.sends = pattern.sends, .tag = round});
            pattern.post(*exchange, round);
            exchange.reset();
        }
        MPI_Barrier(MPI_COMM_WORLD);
        for (int round = 3; round >= 0; --round) {
            const auto exchange = transport->prepare({.receives = pattern.receives, .tag = round});
            exchange->post_receives();
            pattern.take(*exchange, round);
        }
    }
}

TEST_F(MpiTransportTest, ReceivesOfADestroyedExchangeAreCancelled) {
    const AllToAll pattern(*transport, 2, 100);
    for (int round = 0; round < 3; ++round) {
        const auto abandoned = transport->prepare({.receives = pattern.receives, .tag = 8});
        abandoned->post_receives();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    // A later exchange with the same tag receives everything that is sent now.
    const auto exchange = transport->prepare({.sends = pattern.sends, .receives = pattern.receives, .tag = 8});
    exchange->post_receives();
    pattern.post(*exchange, 1);
    pattern.take(*exchange, 1);
    wait_sends(*exchange);
}

TEST_F(MpiTransportTest, APeerThatLeavesEndsTheWaits) {
    const int rank = transport->rank();
    int64_t tag = 20;
    // The long messages wait for their receivers.
    for (int64_t words : {10, 100000}) {
        const AllToAll pattern(*transport, 2, words);
        const auto out = transport->prepare({.sends = pattern.sends, .tag = ++tag}),
                   in = transport->prepare({.receives = pattern.receives, .tag = tag});
        const auto other =
            transport->prepare({.sends = pattern.sends, .receives = pattern.receives, .tag = ++tag});
        pattern.post(*out, 0);
        in->post_receives();
        pattern.take(*in, 0);
        wait_sends(*out);
        pattern.post(*out, 1);
        in->leave(1, transport::Leave::early);
        wait_sends(*out); // returns although frame 1 is never received
        while (!out->departures().of_all_receivers())
            out->poll_departures(transport::Look::full);
        EXPECT_EQ(out->departures().of_all_receivers()->frames, 1);

        const auto late = transport->prepare({.receives = pattern.receives, .tag = ++tag});
        const auto left = transport->prepare({.sends = pattern.sends, .tag = tag});
        MPI_Barrier(MPI_COMM_WORLD);
        pattern.post(*left, 0);
        left->leave(1, transport::Leave::early);
        late->post_receives();
        pattern.take(*late, 0);
        late->post_receives();
        for (size_t i = 0; i < pattern.receives.size(); ++i)
            EXPECT_EQ(wait_departure(*late, 1, i).frames, 1);
        EXPECT_EQ(late->try_receive(), -1) << "a frame without a sender on rank " << rank;
        EXPECT_FALSE(other->departures().any()) << "the notices are for other tags";
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

// One process sends. One of its receivers leaves at once, the others take all frames.
TEST_F(MpiTransportTest, APeerThatLeavesDoesNotHoldBackTheOthers) {
    const int rank = transport->rank(), last = transport->size() - 1;
    int64_t tag = 40;
    for (const int leaves : {1, last})
        for (const int64_t bytes : {100, 800000}) {
            ++tag;
            constexpr int frames = 50;
            if (rank == 0) {
                std::vector<transport::MessageSpec> to;
                for (int peer = 1; peer <= last; ++peer)
                    to.push_back({peer, bytes});
                const auto out = transport->prepare({.sends = to, .tag = tag});
                MPI_Barrier(MPI_COMM_WORLD);
                for (int frame = 0; frame < frames; ++frame) {
                    wait_sends(*out);
                    for (size_t i = 0; i < to.size(); ++i)
                        if (out->departures().takes(i)) {
                            std::fill_n(out->send_data(i), bytes, static_cast<std::byte>(frame));
                            out->post_send(i);
                        }
                }
                wait_sends(*out);
            } else {
                const auto in = transport->prepare({.receives = {{0, bytes}}, .tag = tag});
                MPI_Barrier(MPI_COMM_WORLD);
                if (rank == leaves)
                    in->leave(0, transport::Leave::early);
                for (int frame = 0; rank != leaves && frame < frames; ++frame) {
                    in->post_receives();
                    ASSERT_EQ(wait_receive(*in), 0);
                    const std::byte *const data = in->receive_data(0);
                    EXPECT_EQ(std::count(data, data + bytes, static_cast<std::byte>(frame)), bytes) << frame;
                    in->release(0);
                }
            }
            MPI_Barrier(MPI_COMM_WORLD);
        }
}

TEST_F(MpiTransportTest, CloseEndsPendingMessages) {
    const AllToAll small(*transport, 1, 10), large(*transport, 1, 200000);
    const auto alive = transport->prepare({.sends = large.sends, .receives = large.receives});
    alive->post_receives();
    small.post(*transport->prepare({.sends = small.sends, .tag = 1}), 0);
    {
        auto exchange = transport->prepare({.sends = large.sends, .receives = large.receives, .tag = 2});
        exchange->post_receives();
        large.post(*exchange, 0);
    }
    if (transport->rank() % 2)
        large.post(*alive, 0);
    transport->send((transport->rank() + 1) % transport->size(), 4, text("unread"), soon());
    transport->close(soon());
    transport->close(soon());
    EXPECT_EQ(code_of([&] { alive->post_receives(); }), DRI_ERR_STATE);
    EXPECT_EQ(code_of([&] { alive->post_send(0); }), DRI_ERR_STATE);
    EXPECT_EQ(code_of([&] { transport->send(0, 0, {}, soon()); }), DRI_ERR_STATE);
    EXPECT_EQ(code_of([&] { transport->prepare(transport::ExchangeSpec{}); }), DRI_ERR_STATE);
    transport.reset();
}

TEST_F(MpiTransportTest, TransportsDoNotMix) {
    const auto other = transport::make_mpi_transport(MPI_COMM_WORLD);
    const int next = (transport->rank() + 1) % transport->size();
    const int last = (transport->rank() + transport->size() - 1) % transport->size();
    other->send(next, 0, text("other"), soon());
    transport->send(next, 0, text("one"), soon());
    EXPECT_EQ(as_string(transport->receive(last, 0, soon())), "one");
    EXPECT_EQ(as_string(other->receive(last, 0, soon())), "other");
    other->close(soon());
}

TEST_F(MpiTransportTest, NoWorldIsRefused) {
    EXPECT_EQ(code_of([] { transport::make_mpi_transport(MPI_COMM_NULL); }), DRI_ERR_ARG);
}

} // namespace
