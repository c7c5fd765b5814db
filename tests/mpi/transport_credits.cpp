// Exchanges of the MPI transport that have memory for only some of their messages.
#include "support/exchange_waits.hpp"
#include "support/set_up_words.hpp"
#include "transport/mpi_transport.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <vector>

namespace {

using namespace dri;
using namespace dri::test;

// A message without memory receives that of an earlier message to the same peer, once that one has been sent.
TEST(MpiCredits, SendsWaitForMemory) {
    const auto transport = transport::make_mpi_transport(MPI_COMM_WORLD);
    constexpr int64_t bytes = 1 << 20; // more than MPI sends without a receiver
    const std::vector<transport::MessageSpec> specs(3, {transport->rank(), bytes});
    auto exchange =
        transport->prepare({.sends = specs, .receives = specs, .tag = 5, .send_credits = 1, .receive_credits = 1});
    EXPECT_EQ(exchange->memory_bytes(), 2 * bytes);
    const auto send = [&](size_t i) {
        while (exchange->sends_under_way() > 0) {
        }
        std::byte *const to = exchange->send_data(i);
        ASSERT_NE(to, nullptr) << i;
        *to = static_cast<std::byte>(i + 1);
        exchange->post_send(i);
    };
    const auto expect_next = [&](size_t i) {
        ASSERT_EQ(wait_receive(*exchange), static_cast<int64_t>(i));
        EXPECT_EQ(*exchange->receive_data(i), static_cast<std::byte>(i + 1));
    };
    for (int frame = 0; frame < 3; ++frame) {
        exchange->post_receives();
        send(0);
        expect_next(0);
        send(1);
        EXPECT_EQ(exchange->send_data(2), nullptr) << "message 1 waits for the release of message 0";
        exchange->release(0);
        expect_next(1);
        exchange->release(1);
        send(2);
        expect_next(2);
        exchange->release(2);
        wait_sends(*exchange);
    }
    exchange.reset();
    transport->close(soon());
}

} // namespace
