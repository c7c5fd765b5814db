// Sparse exchanges between loopback ranks: what arrives, what it costs, and how they fail.
#include "transport/collective.hpp"
#include "transport/sparse_exchange.hpp"

#include "support/counting_transport.hpp"
#include "unit/transport_threads.hpp"

#include <gtest/gtest.h>

#include <barrier>
#include <numeric>
#include <random>

namespace {

using namespace dri;
using namespace dri::test;

std::vector<int> every(int step, int size) {
    std::vector<int> ranks;
    for (int rank = 0; rank < size; rank += step)
        ranks.push_back(rank);
    return ranks;
}

// How many contents each rank sends to each other one: a table that all ranks know, so each knows what must
// arrive.
class Traffic {
public:
    Traffic(const std::vector<int> &members, int senders_per_member, unsigned seed) {
        std::mt19937 random(seed);
        for (int to : members)
            for (int k = 0; k < senders_per_member; ++k)
                if (random() % 3)
                    ++sends_[{members[random() % members.size()], to}];
    }
    int count(int from, int to) const {
        const auto at = sends_.find({from, to});
        return at == sends_.end() ? 0 : at->second;
    }
    static std::string words(int from, int to, int k) {
        return std::string(static_cast<size_t>((from * 31 + to * 17 + k * 7) % 40),
                           static_cast<char>('a' + (from + to + k) % 26));
    }

private:
    std::map<std::pair<int, int>, int> sends_;
};

void expect_exchanged(transport::Transport &t, const std::vector<int> &members, const Traffic &traffic,
                      uint64_t stamp) {
    std::vector<transport::Parcel> parcels;
    for (int to : members)
        for (int k = 0; k < traffic.count(t.rank(), to); ++k)
            parcels.push_back({to, as_bytes(Traffic::words(t.rank(), to, k))});
    const auto got = transport::sparse_exchange(t, step_over(members, soon()), stamp, std::move(parcels));
    size_t at = 0;
    for (int from : members)
        for (int k = 0; k < traffic.count(from, t.rank()); ++k, ++at) {
            ASSERT_LT(at, got.size());
            EXPECT_EQ(got[at].rank, from);
            EXPECT_EQ(as_string(got[at].bytes), Traffic::words(from, t.rank(), k));
        }
    EXPECT_EQ(at, got.size());
}

class SparseExchangeSizes : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Transport, SparseExchangeSizes, testing::Values(1, 2, 3, 4, 7, 33));

// Ranks run ahead of each other: nothing separates the exchanges.
TEST_P(SparseExchangeSizes, EverythingArrivesOnceAndInOrder) {
    const int size = GetParam();
    for (int step : {1, 2, 5}) {
        const auto members = every(step, size);
        std::vector<Traffic> rounds;
        for (unsigned round = 0; round < 25; ++round)
            rounds.emplace_back(members, static_cast<int>(round % 7), round);
        on_ranks(size, [&](transport::Transport &t) {
            if (t.rank() % step == 0)
                for (size_t round = 0; round < rounds.size(); ++round)
                    expect_exchanged(t, members, rounds[round], round);
        });
    }
}

TEST_P(SparseExchangeSizes, AllToAllAndAllToOne) {
    const int size = GetParam();
    const auto members = every(1, size);
    on_ranks(size, [&](transport::Transport &t) {
        std::vector<transport::Parcel> to_all, to_last;
        for (int to : members)
            to_all.push_back({to, as_bytes(fmt::format("{}>{}", t.rank(), to))});
        to_last.push_back({size - 1, as_bytes(fmt::format("{}", t.rank()))});
        const auto from_all = transport::sparse_exchange(t, step_over(members, soon()), 7, std::move(to_all));
        const auto at_last = transport::sparse_exchange(t, step_over(members, soon()), 8, std::move(to_last));
        ASSERT_EQ(from_all.size(), members.size());
        ASSERT_EQ(at_last.size(), t.rank() == size - 1 ? members.size() : 0);
        for (int from : members)
            EXPECT_EQ(as_string(from_all[static_cast<size_t>(from)].bytes), fmt::format("{}>{}", from, t.rank()));
        for (size_t from = 0; from < at_last.size(); ++from)
            EXPECT_EQ(as_string(at_last[from].bytes), fmt::format("{}", from));
    });
}

TEST(SparseExchange, ReceivesNothingThatOthersSendToEachOther) {
    constexpr int size = 1024;
    const auto members = every(1, size);
    // The first half exchanges among itself, more in each round. In the other half each rank receives one content.
    std::vector<std::vector<Received>> received(3, std::vector<Received>(size));
    on_ranks(size, [&](transport::Transport &inner) {
        for (size_t round = 0; round < received.size(); ++round) {
            CountingTransport t(inner);
            std::vector<transport::Parcel> parcels;
            if (t.rank() < size / 2)
                for (int k = 0; k < 1 << (3 * round); ++k)
                    parcels.push_back({(t.rank() + 37 * k) % (size / 2), Bytes(100)});
            else
                parcels.push_back({size / 2 + (t.rank() + 1) % (size / 2), Bytes(10)});
            transport::sparse_exchange(t, step_over(members, soon()), round, std::move(parcels));
            received[round][static_cast<size_t>(t.rank())] = t.received();
        }
    });
    for (size_t rank = size / 2; rank < size; ++rank)
        for (const auto &round : received) {
            // A content, an answer, and at most ten neighbours in the tree; nine bytes more with each message.
            EXPECT_LE(round[rank].messages, 2 + 11);
            EXPECT_EQ(round[rank].bytes, 10 + 9 * round[rank].messages);
            EXPECT_EQ(round[rank].bytes, received[0][rank].bytes) << rank;
        }
}

TEST(SparseExchange, NamesTheMissingProcessAndLeavesNoMessages) {
    for (int size : {2, 3, 7})
        for (int missing : {0, size / 2, size - 1}) {
            const auto members = every(1, size);
            std::barrier all_are_through(size);
            on_ranks(size, [&](transport::Transport &t) {
                if (t.rank() != missing) {
                    const Error error = error_of([&] {
                        transport::sparse_exchange(t, step_over(members, at_once()), 3,
                                                   {{missing, as_bytes("lost")}});
                    });
                    EXPECT_EQ(error.code(), DRI_ERR_TIMEOUT);
                    EXPECT_NE(std::string(error.what()).find(fmt::format("{}", missing)), std::string::npos)
                        << error.what();
                }
                all_are_through.arrive_and_wait();
                for (unsigned stamp = 5; stamp < 9; ++stamp)
                    expect_exchanged(t, members, Traffic(members, 3, stamp), stamp);
            });
        }
}

TEST(SparseExchange, SeparatesDisjointGroups) {
    on_ranks(8, [](transport::Transport &t) {
        std::vector<int> mine;
        for (int rank = t.rank() % 2; rank < 8; rank += 2)
            mine.push_back(rank);
        for (unsigned stamp = 0; stamp < 20; ++stamp)
            expect_exchanged(t, mine, Traffic(mine, 4, stamp), stamp);
        const auto all = every(1, 8);
        transport::agree(t, step_over(all, soon()), {}); // after this no rank is in an exchange of another group
        expect_exchanged(t, all, Traffic(all, 4, 99), 20);
    });
}

TEST(SparseExchange, CallerMustBeAMember) {
    on_ranks(2, [](transport::Transport &t) {
        const std::vector<int> other{1 - t.rank()};
        EXPECT_EQ(code_of([&] { transport::sparse_exchange(t, step_over(other, soon()), 0, {}); }),
                  DRI_ERR_INTERNAL);
    });
}

} // namespace
