// Notices of departure: what a look without progress finds, with a board and without one.
#include "support/exchange_waits.hpp"
#include "transport/memory_probe.hpp"
#include "transport/mpi_transport.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

namespace dri::test {
namespace {

class NoticesTest : public testing::Test {
protected:
    void SetUp() override { transport = transport::make_mpi_transport(MPI_COMM_WORLD); }
    void TearDown() override { transport->close(soon()); }
    int next() const { return (transport->rank() + 1) % transport->size(); }
    int last() const { return (transport->rank() + transport->size() - 1) % transport->size(); }

    // The next process leaves, and this one sees it by looks that do not make progress themselves.
    void expect_departure(int64_t tag) {
        const auto out = transport->prepare({.sends = {{next(), 8}}, .tag = tag}),
                   in = transport->prepare({.receives = {{last(), 8}}, .tag = tag});
        MPI_Barrier(MPI_COMM_WORLD);
        in->leave(3, transport::Leave::early);
        const auto until = transport::Clock::now() + std::chrono::seconds(20);
        while (!out->departures().any() && transport::Clock::now() < until) {
            int found = 0;
            MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE); // progress
            out->poll_departures(transport::Look::cheap);
        }
        const auto left = out->departures().of_all_receivers();
        ASSERT_TRUE(left);
        EXPECT_EQ(left->frames, 3);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    std::unique_ptr<transport::Transport> transport;
};

TEST_F(NoticesTest, AreFoundWithoutABoard) {
    expect_departure(1);
    expect_departure(2);
}

// A question is sent before the board is there, and received afterwards. It is not counted, so that the next
// notice is looked for.
TEST_F(NoticesTest, OfTheTimeBeforeTheBoardAreNotCounted) {
    transport->ask(next());
    auto memory = transport::find_shared_memory(*transport, transport->nodes(), true, "this test", soon());
    transport->presence().set_board(std::move(memory.board));
    if (transport->size() > 1) {
        const auto until = transport::Clock::now() + std::chrono::seconds(20);
        while (!transport->presence().answer_of(next()) && transport::Clock::now() < until)
            transport->progress();
        EXPECT_TRUE(transport->presence().answer_of(next()));
    }
    expect_departure(3);
    expect_departure(4);
}

} // namespace
} // namespace dri::test
