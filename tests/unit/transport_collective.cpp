// all_gather and agree over groups of loopback ranks.
#include "unit/transport_steps.hpp"

#include <gtest/gtest.h>

namespace {

using namespace dri;
using namespace dri::test;

class CollectiveSizes : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Transport, CollectiveSizes, testing::Values(1, 2, 3, 4, 7, 33));

TEST_P(CollectiveSizes, GatherIsInTheOrderOfMembers) {
    const int size = GetParam();
    std::vector<int> backwards = all_ranks(size), rotated = all_ranks(size), every_third;
    std::reverse(backwards.begin(), backwards.end());
    std::rotate(rotated.begin(), rotated.begin() + size / 2, rotated.end());
    for (int rank = size - 1; rank >= 0; rank -= 3)
        every_third.push_back(rank);
    on_ranks(size, [&](transport::Transport &t) {
        for (int round = 0; round < 5; ++round)
            for (const auto &members : {all_ranks(size), backwards, every_third, rotated})
                if (contains(members, t.rank()))
                    expect_gathered(t, members, round);
    });
}

TEST_P(CollectiveSizes, DisjointGroupsDoNotDisturbEachOther) {
    const int size = GetParam();
    on_ranks(size, [&](transport::Transport &t) {
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
    on_ranks(size, [&](transport::Transport &t) {
        EXPECT_EQ(transport::agree(t, step_over(members, soon()), {}).code, DRI_SUCCESS);
        // Ranks up to `highest` fail, each with its own message. The highest one is the first in the group.
        for (int highest = 0; highest < size; ++highest) {
            transport::Outcome mine;
            if (t.rank() <= highest)
                mine = {t.rank() == highest ? DRI_ERR_GAP : DRI_ERR_ARG, fmt::format("story of {}", t.rank())};
            const transport::Outcome all = transport::agree(t, step_over(members, soon()), mine);
            EXPECT_EQ(all.code, DRI_ERR_GAP);
            EXPECT_EQ(all.message, fmt::format("story of {}", highest));
            EXPECT_EQ(all.rank, highest);
        }
    });
}

TEST(Collective, CallerMustBeAMember) {
    on_ranks(2, [](transport::Transport &t) {
        const std::vector<int> other{1 - t.rank()};
        EXPECT_EQ(code_of([&] { transport::agree(t, step_over(other, soon()), {}); }), DRI_ERR_INTERNAL);
    });
}

TEST(Collective, LargeContents) {
    on_ranks(7, [](transport::Transport &t) {
        const auto length = [](int rank) { return static_cast<size_t>(1 + rank) << 16; };
        const auto all = transport::all_gather(t, step_over(all_ranks(7), soon()),
                                               Bytes(length(t.rank()), std::byte(t.rank())));
        for (int rank = 0; rank < 7; ++rank) {
            const Bytes &bytes = all[static_cast<size_t>(rank)];
            EXPECT_EQ(bytes.size(), length(rank));
            EXPECT_EQ(std::count(bytes.begin(), bytes.end(), std::byte(rank)), static_cast<int64_t>(length(rank)));
        }
    });
}

TEST(Collective, ThousandRanks) {
    on_ranks(1024, [](transport::Transport &t) {
        const auto all =
            transport::all_gather(t, step_over(all_ranks(1024), soon()), as_bytes(fmt::format("{}", t.rank())));
        for (int rank = 0; rank < 1024; ++rank)
            ASSERT_EQ(as_string(all[static_cast<size_t>(rank)]), fmt::format("{}", rank));
        const transport::Outcome mine =
            t.rank() == 777 ? transport::Outcome{DRI_ERR_LIMIT, "full"} : transport::Outcome{};
        EXPECT_EQ(transport::agree(t, step_over(all_ranks(1024), soon()), mine).rank, 777);
    });
}

} // namespace
