// Messages that lie in the caller's memory: they arrive in order with packed ones, and the memory outlives them.
#include "support/exchange_waits.hpp"
#include "support/set_up_words.hpp"
#include "transport/mpi_transport.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <vector>

namespace {

using namespace dri;
using namespace dri::test;

class OutsideTest : public testing::Test {
protected:
    void SetUp() override { transport = transport::make_mpi_transport(MPI_COMM_WORLD); }
    void TearDown() override {
        if (transport)
            transport->close(soon());
    }
    int next() const { return (transport->rank() + 1) % transport->size(); }
    int last() const { return (transport->rank() + transport->size() - 1) % transport->size(); }
    std::unique_ptr<transport::Transport> transport;
};

std::byte value(int rank, int frame, size_t message) {
    return static_cast<std::byte>(37 * rank + 11 * frame + static_cast<int>(message) + 1);
}

// One message of each kind and length, in a ring: some in staging, some outside. The memory moves between frames.
TEST_F(OutsideTest, ArrivesInOrderWithMessagesInStaging) {
    constexpr int64_t out = transport::in_staging;
    const std::vector<int64_t> bytes{100, 100'000, 8, 3000, 600'000, 200'000},
        at{out, 0, 600'000, out, 1'000'000, out};
    std::vector<transport::MessageSpec> to, from;
    for (const int64_t n : bytes) {
        to.push_back({next(), n});
        from.push_back({last(), n});
    }
    const auto exchange = transport->prepare(
        {.sends = to, .receives = from, .tag = 3, .receive_credits = 3, .sends_at = at, .receives_at = at});
    EXPECT_EQ(exchange->memory_bytes(), 128 + 3008 + 200'000 + 3 * 200'000);
    std::vector<std::vector<std::byte>> sent(2), received(2);
    for (auto *side : {&sent, &received})
        for (auto &memory : *side)
            memory.resize(2'000'000);
    for (int frame = 0; frame < 30; ++frame) {
        std::vector<std::byte> &mine = sent[static_cast<size_t>(frame % 2)],
                               &theirs = received[static_cast<size_t>(frame % 2)];
        std::fill(theirs.begin(), theirs.end(), std::byte{0});
        exchange->set_origin(theirs.data());
        exchange->post_receives();
        exchange->set_origin(mine.data());
        for (size_t i = 0; i < to.size(); ++i) {
            std::byte *const data = exchange->send_data(i);
            if (at[i] != out) {
                EXPECT_EQ(data, mine.data() + at[i]);
            }
            std::fill_n(data, bytes[i], value(transport->rank(), frame, i));
            exchange->post_send(i);
        }
        exchange->set_origin(theirs.data());
        for (size_t n = 0; n < from.size(); ++n) {
            const int64_t got = wait_receive(*exchange);
            ASSERT_GE(got, 0);
            const auto i = static_cast<size_t>(got);
            const std::byte *const data = exchange->receive_data(i);
            EXPECT_EQ(std::count(data, data + bytes[i], value(last(), frame, i)), bytes[i]) << i;
            if (at[i] != out) {
                EXPECT_EQ(data, theirs.data() + at[i]);
            }
            exchange->release(i);
        }
        wait_sends(*exchange);
        EXPECT_TRUE(exchange->sends_done());
    }
}

// Nobody receives meanwhile. MPI takes short messages without their receiver, but every eighth one waits for it,
// unless it answers what its receiver sends.
TEST_F(OutsideTest, EveryEighthShortMessageWaitsForItsReceiver) {
    constexpr int64_t bytes = 100;
    struct Turn {
        int64_t tag;
        bool answered, in_order;
    };
    for (const auto [tag, answered, in_order] :
         {Turn{6, false, false}, Turn{7, true, false}, Turn{8, false, true}}) {
        std::vector<std::byte> mine(bytes), theirs(bytes);
        const auto out = transport->prepare({.sends = {{next(), bytes}},
                                             .tag = tag,
                                             .in_order = in_order,
                                             .sends_at = {0},
                                             .answered = std::vector<char>(answered ? 1 : 0, 1)});
        const auto in = transport->prepare({.receives = {{last(), bytes}}, .tag = tag, .receives_at = {0}});
        const int frames = answered ? 20 : 8;
        const int rounds = answered ? 1 : 2; // the sixteenth waits, too, and none between
        for (int round = 0; round < rounds; ++round) {
            for (int frame = 0; frame < frames; ++frame) {
                std::fill(mine.begin(), mine.end(), value(transport->rank(), frame, 0));
                out->set_origin(mine.data());
                EXPECT_EQ(out->send_data(0), mine.data());
                out->post_send(0);
                if (answered || frame < 7)
                    wait_sends(*out);
                else
                    for (int look = 0; look < 100; ++look)
                        EXPECT_FALSE(out->sends_done());
            }
            MPI_Barrier(MPI_COMM_WORLD);
            for (int frame = 0; frame < frames; ++frame) {
                in->set_origin(theirs.data());
                in->post_receives();
                EXPECT_EQ(wait_receive(*in), 0);
                EXPECT_EQ(std::count(theirs.begin(), theirs.end(), value(last(), frame, 0)), bytes);
                in->release(0);
            }
            wait_sends(*out);
            MPI_Barrier(MPI_COMM_WORLD);
        }
    }
}

// MPI may read the memory as long as the message is not received, and write it until a cancelled receive has
// ended.
TEST_F(OutsideTest, MemoryIsKeptAsLongAsMpiMayUseIt) {
    constexpr int64_t bytes = 1 << 20;
    auto memory = std::make_shared<std::vector<std::byte>>(bytes, std::byte{7});
    std::weak_ptr<std::vector<std::byte>> alive = memory;
    {
        auto sends = transport->prepare(
            {.sends = {{next(), bytes}}, .tag = 4, .sends_at = {0}, .keeps = std::shared_ptr<const void>(memory)});
        sends->set_origin(memory->data());
        EXPECT_EQ(sends->send_data(0), memory->data());
        sends->post_send(0);
    }
    {
        auto cancelled = transport->prepare({.receives = {{last(), bytes}},
                                             .tag = 5,
                                             .receives_at = {0},
                                             .keeps = std::shared_ptr<const void>(memory)});
        cancelled->set_origin(memory->data());
        cancelled->post_receives();
    }
    memory.reset();
    if (transport->size() > 1) {
        EXPECT_FALSE(alive.expired()) << "nobody has received the message";
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const auto receives = transport->prepare({.receives = {{last(), bytes}}, .tag = 4});
    receives->post_receives();
    EXPECT_EQ(wait_receive(*receives), 0);
    const std::byte *const data = receives->receive_data(0);
    EXPECT_EQ(std::count(data, data + bytes, std::byte{7}), bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    transport->close(soon());
    transport.reset();
    EXPECT_TRUE(alive.expired());
}

} // namespace
