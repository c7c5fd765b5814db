// all_gather and agree over groups of loopback ranks, and what becomes of steps that fail.
#include "support/forwarding_transport.hpp"
#include "transport/collective.hpp"
#include "unit/transport_threads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <numeric>

namespace {

using namespace dri;
using namespace dri_test;

std::vector<int> all_ranks(int size) {
    std::vector<int> ranks(static_cast<size_t>(size));
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
}

bool contains(const std::vector<int> &members, int rank) {
    return std::find(members.begin(), members.end(), rank) != members.end();
}

// Of a length that differs between ranks, and is 0 for every fifth.
std::string words_of(int rank, int round) {
    return rank % 5 == 0
               ? ""
               : std::string(static_cast<size_t>(rank * 7 % 50 + 1), static_cast<char>('a' + (rank + round) % 26));
}

void expect_gathered(Transport &t, const std::vector<int> &members, int round) {
    const auto all = all_gather(t, members, 2, as_bytes(words_of(t.rank(), round)), soon());
    ASSERT_EQ(all.size(), members.size());
    for (size_t i = 0; i < all.size(); ++i)
        EXPECT_EQ(as_string(all[i]), words_of(members[i], round));
}

class CollectiveSizes : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Transport, CollectiveSizes, testing::Values(1, 2, 3, 4, 7, 33));

TEST_P(CollectiveSizes, GatherIsInTheOrderOfMembers) {
    const int size = GetParam();
    std::vector<int> backwards = all_ranks(size), rotated = all_ranks(size), every_third;
    std::reverse(backwards.begin(), backwards.end());
    std::rotate(rotated.begin(), rotated.begin() + size / 2, rotated.end());
    for (int rank = size - 1; rank >= 0; rank -= 3)
        every_third.push_back(rank);
    on_ranks(size, [&](Transport &t) {
        for (int round = 0; round < 5; ++round)
            for (const auto &members : {all_ranks(size), backwards, every_third, rotated})
                if (contains(members, t.rank()))
                    expect_gathered(t, members, round);
    });
}

TEST_P(CollectiveSizes, DisjointGroupsDoNotDisturbEachOther) {
    const int size = GetParam();
    on_ranks(size, [&](Transport &t) {
        std::vector<int> mine;
        for (int rank = t.rank() % 2; rank < size; rank += 2)
            mine.push_back(rank);
        for (int round = 0; round < 20 + 30 * (t.rank() % 2); ++round)
            expect_gathered(t, mine, round);
        expect_gathered(t, all_ranks(size), 0);
    });
}

TEST_P(CollectiveSizes, FirstMemberThatFailsDecides) {
    const int size = GetParam();
    std::vector<int> members = all_ranks(size);
    std::reverse(members.begin(), members.end());
    on_ranks(size, [&](Transport &t) {
        EXPECT_EQ(agree(t, members, 0, {}, soon()).code, DRI_SUCCESS);
        // Ranks up to `highest` fail, each with its own story; the highest comes first in the group.
        for (int highest = 0; highest < size; ++highest) {
            Outcome mine;
            if (t.rank() <= highest)
                mine = {t.rank() == highest ? DRI_ERR_GAP : DRI_ERR_ARG, fmt::format("story of {}", t.rank())};
            const Outcome all = agree(t, members, 0, mine, soon());
            EXPECT_EQ(all.code, DRI_ERR_GAP);
            EXPECT_EQ(all.message, fmt::format("story of {}", highest));
            EXPECT_EQ(all.rank, highest);
        }
    });
}

class CollectiveDisputes : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Transport, CollectiveDisputes, testing::Values(2, 3, 4, 7, 33));

constexpr int gave_up = 9; // tag

// What became of a step that every rank of the world calls in its own way.
std::vector<Error> outcomes(int size, const std::function<void(Transport &)> &step,
                            const std::function<void(Transport &)> &afterwards) {
    std::vector<Error> all(static_cast<size_t>(size), Error(DRI_SUCCESS, ""));
    std::barrier all_are_through(size);
    on_ranks(size, [&](Transport &t) {
        try {
            step(t);
        } catch (const Error &error) {
            all[static_cast<size_t>(t.rank())] = error;
        }
        all_are_through.arrive_and_wait();
        afterwards(t);
    });
    return all;
}

// The same, and whatever it was, it leaves nothing behind that disturbs later steps with the same tag.
std::vector<Error> outcomes_before_peace(int size, const std::function<void(Transport &)> &step) {
    return outcomes(size, step, [&](Transport &t) {
        std::vector<int> backwards = all_ranks(size);
        std::reverse(backwards.begin(), backwards.end());
        for (const auto &members : {all_ranks(size), backwards}) {
            EXPECT_EQ(all_gather(t, members, 1, {}, soon()).size(), members.size());
            EXPECT_EQ(agree(t, members, 1, {}, soon()).code, DRI_SUCCESS);
        }
    });
}

TEST_P(CollectiveDisputes, AnotherOrderIsAMismatchOnAll) {
    const int size = GetParam();
    for (int odd_one = 0; odd_one < size; odd_one += std::max(1, size / 5)) {
        const auto begin = Clock::now();
        const auto all = outcomes_before_peace(size, [&](Transport &t) {
            std::vector<int> members = all_ranks(size);
            if (t.rank() == odd_one)
                std::reverse(members.begin(), members.end());
            all_gather(t, members, 1, as_bytes("x"), soon());
        });
        for (const Error &error : all)
            EXPECT_EQ(error.code(), DRI_ERR_MISMATCH) << error.what();
        EXPECT_LT(Clock::now() - begin, std::chrono::seconds(50)) << "somebody waited for the deadline";
    }
}

// Whoever is content with a step got what the members of its own group gave; all others come to an end.
TEST_P(CollectiveDisputes, AnotherGroupNeverGivesGarbage) {
    const int size = GetParam();
    for (int odd_one = 0; odd_one < size; odd_one += std::max(1, size / 3)) {
        const auto all = outcomes_before_peace(size, [&](Transport &t) {
            std::vector<int> members = all_ranks(size);
            if (t.rank() == odd_one)
                members.erase(members.begin() + (odd_one ? 0 : size - 1));
            const auto got = all_gather(t, members, 1, as_bytes(fmt::format("{}", t.rank())), at_once());
            ASSERT_EQ(got.size(), members.size());
            for (size_t i = 0; i < got.size(); ++i)
                EXPECT_EQ(as_string(got[i]), fmt::format("{}", members[i]));
        });
        for (int rank = 0; rank < size; ++rank) {
            const Error &error = all[static_cast<size_t>(rank)];
            const bool alone = rank == odd_one && size == 2;
            if (!alone) {
                EXPECT_TRUE(error.code() == DRI_ERR_MISMATCH || error.code() == DRI_ERR_TIMEOUT)
                    << "rank " << rank << ", odd one " << odd_one << ": " << error.code() << " " << error.what();
            }
        }
    }
}

TEST_P(CollectiveDisputes, DifferentOperationsAreAMismatchOnAll) {
    const int size = GetParam();
    for (int odd_one : {0, size / 2, size - 1}) {
        const auto begin = Clock::now();
        const auto all = outcomes_before_peace(size, [&](Transport &t) {
            if (t.rank() == odd_one)
                agree(t, all_ranks(size), 1, {}, soon());
            else
                all_gather(t, all_ranks(size), 1, as_bytes("x"), soon());
        });
        for (const Error &error : all) {
            EXPECT_EQ(error.code(), DRI_ERR_MISMATCH) << error.what();
            EXPECT_NE(std::string(error.what()).find("agree"), std::string::npos) << error.what();
            EXPECT_NE(std::string(error.what()).find("all_gather"), std::string::npos) << error.what();
        }
        EXPECT_LT(Clock::now() - begin, std::chrono::seconds(50)) << "somebody waited for the deadline";
    }
}

TEST_P(CollectiveDisputes, WhoIsMissingIsNamedOnAllAndMayComeBack) {
    const int size = GetParam();
    const auto members = all_ranks(size);
    for (int missing : {0, 1, size / 2, size - 1}) {
        if (missing >= size)
            continue;
        std::barrier all_are_here(size);
        on_ranks(size, [&](Transport &t) {
            expect_gathered(t, members, 0);
            if (t.rank() != missing) {
                const Error error = error_of([&] { all_gather(t, members, 2, as_bytes("x"), at_once()); });
                EXPECT_EQ(error.code(), DRI_ERR_TIMEOUT);
                EXPECT_TRUE(std::string(error.what()).ends_with(fmt::format("waited for rank {}", missing)))
                    << error.what();
            }
            all_are_here.arrive_and_wait();
            expect_gathered(t, members, 1);
            all_are_here.arrive_and_wait();
            // And the other way round: one that comes alone.
            if (t.rank() == missing) {
                EXPECT_EQ(code_of([&] { all_gather(t, members, 2, as_bytes("y"), at_once()); }), DRI_ERR_TIMEOUT);
            }
            all_are_here.arrive_and_wait();
            expect_gathered(t, members, 2);
            EXPECT_EQ(agree(t, members, 2, {}, soon()).code, DRI_SUCCESS);
        });
    }
}

TEST(Collective, LatecomerJoinsTheNextStep) {
    on_ranks(3, [](Transport &t) {
        if (t.rank() == 1) {
            t.receive(0, gave_up, soon());
            t.receive(2, gave_up, soon());
        } else {
            EXPECT_EQ(code_of([&] { agree(t, all_ranks(3), 0, {}, at_once()); }), DRI_ERR_TIMEOUT);
            t.send(1, gave_up, {}, soon());
        }
        for (int round = 0; round < 3; ++round)
            expect_gathered(t, all_ranks(3), round);
    });
}

TEST(Collective, StepOfAnotherGroupIsNotDisturbedByOneGivenUp) {
    std::barrier all_are_here(4);
    on_ranks(4, [&](Transport &t) {
        const std::vector<int> all{0, 1, 2, 3}, pair{0, 2};
        if (t.rank() != 2) {
            EXPECT_EQ(code_of([&] { agree(t, all, 0, {}, at_once()); }), DRI_ERR_TIMEOUT);
        }
        all_are_here.arrive_and_wait();
        for (int round = 0; round < 3; ++round)
            if (contains(pair, t.rank())) {
                EXPECT_EQ(all_gather(t, pair, 0, {}, soon()).size(), 2u);
            }
        EXPECT_EQ(agree(t, all, 0, {}, soon()).code, DRI_SUCCESS);
    });
}

// Ranks 0 to 2 wait for rank 3, which waits for rank 1 in another group, and would for a minute.
TEST(Collective, WhoWaitsForAFailedStepFailsWithIt) {
    const auto begin = Clock::now();
    const auto all = outcomes_before_peace(4, [](Transport &t) {
        const std::vector<int> pair{1, 3};
        if (t.rank() == 3)
            all_gather(t, pair, 1, {}, soon());
        else
            all_gather(t, all_ranks(4), 1, {}, Clock::now() + std::chrono::milliseconds(300));
    });
    for (const Error &error : all)
        EXPECT_EQ(error.code(), DRI_ERR_TIMEOUT) << error.what();
    const std::string told = all[3].what();
    for (const char *word : {"rank 3 waits for rank 1", "group of 4 processes", "waited for rank 3"})
        EXPECT_NE(told.find(word), std::string::npos) << told;
    EXPECT_LT(Clock::now() - begin, std::chrono::seconds(30)) << "somebody waited for the deadline";
}

// Rank 2 is no member of what rank 0 takes part in, but of what rank 1 does.
TEST(Collective, WhoWaitsForTheSameAsARefusedOneIsRefusedToo) {
    const auto begin = Clock::now();
    const auto all = outcomes_before_peace(3, [](Transport &t) {
        const std::vector<int> pair{0, 1};
        if (t.rank() == 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(300)); // so that both have come
        agree(t, t.rank() == 0 ? pair : all_ranks(3), 1, {}, soon());
    });
    for (const Error &error : all)
        EXPECT_EQ(error.code(), DRI_ERR_MISMATCH) << error.what();
    EXPECT_LT(Clock::now() - begin, std::chrono::seconds(30)) << "somebody waited for the deadline";
}

// Passes on what it receives late.
class Slow final : public ForwardingTransport {
public:
    using ForwardingTransport::ForwardingTransport;
    std::optional<Bytes> try_receive(int peer, int tag) override {
        auto bytes = ForwardingTransport::try_receive(peer, tag);
        if (bytes)
            wait();
        return bytes;
    }
    Bytes receive(int peer, int tag, Deadline deadline) override {
        Bytes bytes = ForwardingTransport::receive(peer, tag, deadline);
        wait();
        return bytes;
    }

private:
    void wait() const { std::this_thread::sleep_for(std::chrono::milliseconds(10)); }
};

// Rank 2 hears of the failure first, and waits in the next step before rank 1 has left the failed one.
TEST(Collective, WhoHasGoneOnFromAFailedStepIsNotFailedAgain) {
    const std::vector<int> pair{1, 2};
    on_ranks(3, [&](Transport &inner) {
        Slow slow(inner);
        Transport &t = inner.rank() == 1 ? slow : inner;
        for (int round = 0; round < 20; ++round) {
            const DRI_Code code = code_of([&] {
                if (t.rank() == 0)
                    agree(t, all_ranks(3), 1, {}, soon());
                else
                    all_gather(t, all_ranks(3), 1, {}, soon());
            });
            EXPECT_EQ(code, DRI_ERR_MISMATCH);
            if (t.rank() > 0) {
                EXPECT_EQ(all_gather(t, pair, 1, {}, soon()).size(), 2u);
            }
        }
    });
}

// Rank 3 has been through many steps, and nobody hears of it, because rank 2 is its parent. It leaves last.
TEST(Collective, WhoGoesOnWithoutAMissingOneIsNotFailedByOneThatStillWaits) {
    on_ranks(5, [](Transport &t) {
        const std::vector<int> alone{3}, others{0, 1, 3, 4};
        for (int round = 0; round < 10 && t.rank() == 3; ++round)
            EXPECT_EQ(agree(t, alone, 1, {}, soon()).code, DRI_SUCCESS);
        if (t.rank() == 2)
            return;
        EXPECT_EQ(code_of([&] { agree(t, all_ranks(5), 1, {}, at_once()); }), DRI_ERR_TIMEOUT);
        EXPECT_EQ(agree(t, others, 1, {}, soon()).code, DRI_SUCCESS);
    });
}

TEST(Collective, ForeignMessageIsAMismatch) {
    on_ranks(2, [](Transport &t) {
        const std::vector<int> pair{0, 1};
        if (t.rank() == 1)
            t.send(0, 0, text("no packet"), soon());
        const DRI_Code code = code_of([&] { agree(t, pair, 0, {}, at_once()); });
        EXPECT_EQ(code, t.rank() == 0 ? DRI_ERR_MISMATCH : DRI_ERR_TIMEOUT);
    });
}

TEST(Collective, CallerMustBeAMember) {
    on_ranks(2, [](Transport &t) {
        const std::vector<int> other{1 - t.rank()};
        EXPECT_EQ(code_of([&] { agree(t, other, 0, {}, soon()); }), DRI_ERR_INTERNAL);
    });
}

// A transport whose sends begin to fail after a number of them.
class Failing final : public ForwardingTransport {
public:
    Failing(Transport &inner, int good_sends) : ForwardingTransport(inner), good_sends_(good_sends) {}
    void send(int peer, int tag, std::span<const std::byte> bytes, Deadline deadline) override {
        if (good_sends_-- == 0)
            fail(DRI_ERR_TRANSPORT, "rank {} lost its line", rank());
        ForwardingTransport::send(peer, tag, bytes, deadline);
    }

private:
    int good_sends_;
};

TEST(Collective, TransportErrorOfOneReachesThoseThatHearOfIt) {
    // Rank 2 of 4 cannot tell rank 0 of rank 3 and itself; it can still tell rank 3.
    const auto all = outcomes(
        4,
        [](Transport &t) {
            Failing line(t, t.rank() == 2 ? 0 : -1);
            agree(line, all_ranks(4), 0, {}, at_once());
        },
        [](Transport &) {});
    EXPECT_EQ(all[0].code(), DRI_ERR_TIMEOUT);
    EXPECT_EQ(all[1].code(), DRI_ERR_TIMEOUT);
    EXPECT_NE(all[2].code(), DRI_SUCCESS);
    EXPECT_NE(all[3].code(), DRI_SUCCESS);
    EXPECT_NE(std::string(all[1].what()).find("rank 2"), std::string::npos) << all[1].what();
}

TEST(Collective, LargeContents) {
    on_ranks(7, [](Transport &t) {
        const auto length = [](int rank) { return static_cast<size_t>(1 + rank) << 16; };
        const auto all = all_gather(t, all_ranks(7), 0, Bytes(length(t.rank()), std::byte(t.rank())), soon());
        for (int rank = 0; rank < 7; ++rank) {
            const Bytes &bytes = all[static_cast<size_t>(rank)];
            EXPECT_EQ(bytes.size(), length(rank));
            EXPECT_EQ(std::count(bytes.begin(), bytes.end(), std::byte(rank)), static_cast<int64_t>(length(rank)));
        }
    });
}

TEST(Collective, ThousandRanks) {
    on_ranks(1024, [](Transport &t) {
        const auto all = all_gather(t, all_ranks(1024), 0, as_bytes(fmt::format("{}", t.rank())), soon());
        for (int rank = 0; rank < 1024; ++rank)
            ASSERT_EQ(as_string(all[static_cast<size_t>(rank)]), fmt::format("{}", rank));
        const Outcome mine = t.rank() == 777 ? Outcome{DRI_ERR_LIMIT, "full"} : Outcome{};
        EXPECT_EQ(agree(t, all_ranks(1024), 0, mine, soon()).rank, 777);
    });
}

} // namespace
