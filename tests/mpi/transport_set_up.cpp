// Set-up messages of the MPI transport from any process, long ones, and what is built on them: exchanges and
// collective steps over groups.
#include "support/set_up_words.hpp"
#include "transport/collective.hpp"
#include "transport/mpi_transport.hpp"
#include "transport/sparse_exchange.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <numeric>
#include <string>

namespace dri::test {

void pause_before_sends(int ms); // each MPI_Isend of this process: transport_mpi.cpp, beside the counter

} // namespace dri::test

namespace {

using namespace dri;
using namespace dri::test;

class MpiSetUp : public testing::Test {
protected:
    void SetUp() override { transport = transport::make_mpi_transport(MPI_COMM_WORLD); }
    void TearDown() override { transport->close(soon()); }
    std::vector<int> everyone() const {
        std::vector<int> ranks(static_cast<size_t>(transport->size()));
        std::iota(ranks.begin(), ranks.end(), 0);
        return ranks;
    }
    std::unique_ptr<transport::Transport> transport;
};

TEST_F(MpiSetUp, KnowsTheNodes) {
    MPI_Comm node = MPI_COMM_NULL;
    int lowest = transport->rank();
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Bcast(&lowest, 1, MPI_INT, 0, node);
    MPI_Comm_free(&node);
    const auto nodes = transport->nodes();
    ASSERT_EQ(nodes.size(), static_cast<size_t>(transport->size()));
    EXPECT_EQ(nodes[static_cast<size_t>(transport->rank())], lowest);
    for (int id : nodes)
        EXPECT_EQ(nodes[static_cast<size_t>(id)], id) << "a node is named after a rank that is not on it";
}

TEST_F(MpiSetUp, PostedMessagesArriveFromAnyProcess) {
    const int size = transport->size(), rank = transport->rank();
    // More than MPI sends without a receiver, from every process to every process before any receives.
    for (size_t length : {size_t{1}, size_t{300000}})
        for (int peer = 0; peer < size; ++peer)
            transport->post(peer, 3, Bytes(length, std::byte(rank)));
    std::vector<size_t> bytes(static_cast<size_t>(size), 0);
    for (int k = 0; k < 2 * size; ++k) {
        const transport::Arrival arrival = transport->receive_any(3, soon());
        EXPECT_EQ(std::count(arrival.bytes.begin(), arrival.bytes.end(), std::byte(arrival.peer)),
                  static_cast<int64_t>(arrival.bytes.size()));
        bytes[static_cast<size_t>(arrival.peer)] += arrival.bytes.size();
    }
    for (size_t n : bytes)
        EXPECT_EQ(n, 300001u);
    EXPECT_THROW(transport->receive_any(3, transport::Clock::now()), Error);
    EXPECT_THROW(transport->post(size, 3, {}), Error);
    MPI_Barrier(MPI_COMM_WORLD);
}

TEST_F(MpiSetUp, LongMessagesAreSentInPieces) {
    const auto pieces = transport::make_mpi_transport(MPI_COMM_WORLD, 1000);
    const int size = pieces->size(), rank = pieces->rank(), next = (rank + 1) % size,
              last = (rank + size - 1) % size;
    const auto content = [](int from, size_t length) {
        Bytes bytes(length);
        for (size_t i = 0; i < length; ++i)
            bytes[i] = std::byte((i * 7 + i / 1000 + static_cast<size_t>(from)) % 251);
        return bytes;
    };
    const std::vector<size_t> lengths{0, 1, 999, 1000, 1001, 2000, 123456, 0};
    for (size_t length : lengths)
        pieces->post(next, 5, content(rank, length));
    for (size_t i = 0; i < lengths.size(); ++i)
        EXPECT_EQ(i % 2 ? pieces->receive(last, 5, soon()) : pieces->receive_any(5, soon()).bytes,
                  content(last, lengths[i]));
    const std::vector<int> all = everyone();
    const auto gathered = transport::all_gather(*pieces, step_over(all, soon()), content(rank, 5000));
    for (int from = 0; from < size; ++from)
        EXPECT_EQ(gathered[static_cast<size_t>(from)], content(from, 5000));
    // A message that is never received does not delay close().
    pieces->post(next, 7, content(rank, 3000));
    pieces->close(soon());
}

// A long message takes longer than the wait for one piece. Only a piece that does not come ends it.
TEST_F(MpiSetUp, EachPieceOfAMessageHasTimeOfItsOwn) {
    const int rank = transport->rank();
    if (transport->size() < 2)
        GTEST_SKIP() << "needs a sender that is late";
    const auto pieces =
        transport::make_mpi_transport(MPI_COMM_WORLD, 100, std::chrono::milliseconds(500)); // for each
    if (rank == 0) {
        pause_before_sends(120);
        pieces->post(1, 3, Bytes(550, std::byte{1})); // 600 ms after the first piece it is complete
        pause_before_sends(900);
        pieces->post(1, 3, Bytes(150, std::byte{2}));
        pause_before_sends(0);
    }
    if (rank == 1) {
        EXPECT_EQ(pieces->receive(0, 3, soon()), Bytes(550, std::byte{1}));
        const Error late = error_of([&] { pieces->receive(0, 3, soon()); });
        EXPECT_EQ(late.code(), DRI_ERR_TIMEOUT);
        EXPECT_NE(std::string(late.what()).find("only 100 bytes"), std::string::npos) << late.what();
        EXPECT_EQ(pieces->receive(0, 3, soon()), Bytes(50, std::byte{2})) << "what was late";
    }
    pieces->close(soon());
}

TEST_F(MpiSetUp, SparseExchangesReachTheRightProcesses) {
    const int size = transport->size(), rank = transport->rank();
    for (uint64_t stamp = 0; stamp < 30; ++stamp) {
        // Sends go to each later process whose distance divides the stamp, and to the process itself.
        const auto sends = [&](int from, int to) {
            const auto distance = static_cast<uint64_t>((to - from + size) % size);
            return distance == 0 || stamp % distance == 0;
        };
        std::vector<transport::Parcel> parcels;
        for (int to = 0; to < size; ++to)
            if (sends(rank, to))
                parcels.push_back({to, Bytes(stamp * 9000, std::byte(rank * 16 + to))});
        const auto got =
            transport::sparse_exchange(*transport, step_over(everyone(), soon()), stamp, std::move(parcels));
        size_t at = 0;
        for (int from = 0; from < size; ++from)
            if (sends(from, rank)) {
                ASSERT_LT(at, got.size());
                EXPECT_EQ(got[at].rank, from);
                EXPECT_EQ(got[at++].bytes, Bytes(stamp * 9000, std::byte(from * 16 + rank)));
            }
        EXPECT_EQ(at, got.size());
    }
}

TEST_F(MpiSetUp, StepsOverGroupsInAnyOrder) {
    const int size = transport->size(), rank = transport->rank();
    auto backwards = everyone();
    std::reverse(backwards.begin(), backwards.end());
    std::vector<int> half;
    for (int r = rank % 2; r < size; r += 2)
        half.push_back(r);
    // The longer contents exceed what MPI sends without a receiver.
    for (size_t length : {size_t{1}, size_t{100000}})
        for (int round = 0; round < 5; ++round)
            for (const auto &members : {everyone(), backwards, half}) {
                const std::string mine(length + static_cast<size_t>(rank), static_cast<char>('a' + rank));
                const auto all = transport::all_gather(*transport, step_over(members, soon()),
                                                       Bytes(text(mine).begin(), text(mine).end()));
                ASSERT_EQ(all.size(), members.size());
                for (size_t i = 0; i < all.size(); ++i)
                    EXPECT_EQ(as_string(all[i]), std::string(length + static_cast<size_t>(members[i]),
                                                             static_cast<char>('a' + members[i])));
                const transport::Outcome worst =
                    transport::agree(*transport, step_over(members, soon()), {DRI_ERR_GAP, std::to_string(rank)});
                EXPECT_EQ(worst.code, DRI_ERR_GAP);
                EXPECT_EQ(worst.rank, members[0]);
                EXPECT_EQ(worst.message, std::to_string(members[0]));
            }
}

TEST_F(MpiSetUp, DisagreementIsAMismatchOnAll) {
    const int size = transport->size(), rank = transport->rank();
    if (size == 1)
        GTEST_SKIP() << "needs two processes";
    auto members = everyone();
    if (rank == size / 2)
        std::reverse(members.begin(), members.end());
    EXPECT_EQ(code_of([&] { transport::all_gather(*transport, step_over(members, soon()), {}); }),
              DRI_ERR_MISMATCH);
    EXPECT_EQ(code_of([&] {
                  if (rank == 0)
                      transport::agree(*transport, step_over(everyone(), soon(), "DRI_query"), {});
                  else
                      transport::all_gather(*transport, step_over(everyone(), soon(), "DRI_commit"), {});
              }),
              DRI_ERR_MISMATCH);
    EXPECT_EQ(transport::agree(*transport, step_over(everyone(), soon()), {}).code, DRI_SUCCESS);
}

TEST_F(MpiSetUp, AMissingProcessIsNamedAndMayComeBack) {
    const int size = transport->size(), rank = transport->rank();
    if (size == 1)
        GTEST_SKIP() << "needs two processes";
    for (int missing : {0, size - 1})
        for (bool all_but_one : {true, false}) {
            if ((rank != missing) == all_but_one) {
                std::string message;
                try {
                    transport::agree(*transport, step_over(everyone(), at_once()), {});
                    ADD_FAILURE() << "no process was missing";
                } catch (const Error &error) {
                    EXPECT_EQ(error.code(), DRI_ERR_TIMEOUT);
                    message = error.what();
                }
                if (all_but_one) {
                    const std::string late = "waited for process " + std::to_string(missing);
                    EXPECT_TRUE(message.ends_with(late) || message.find(late + ";") != std::string::npos)
                        << message;
                }
            }
            MPI_Barrier(MPI_COMM_WORLD);
            EXPECT_EQ(transport::agree(*transport, step_over(everyone(), soon()), {}).code, DRI_SUCCESS);
        }
}

} // namespace
