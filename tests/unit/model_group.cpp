#include "model/group.hpp"

#include "model_refusal.hpp"
#include "support/sanitizer.hpp"

#include <algorithm>
#include <limits>
#include <random>

namespace dri::test {

namespace {

using Ranks = std::vector<int>;

Bytes wire_of(const model::Group &group) {
    Writer out;
    model::put(out, group);
    return out.take();
}

model::Group from(const Bytes &wire) {
    Reader in(wire);
    model::Group group = model::get_group(in);
    EXPECT_TRUE(in.done());
    return group;
}

} // namespace

TEST(Group, positions_of_every_rank) {
    std::mt19937 random(5);
    for (int round = 0; round < rounds(500); ++round) {
        Ranks all(1 + random() % 40);
        for (size_t i = 0; i < all.size(); ++i)
            all[i] = static_cast<int>(i);
        if (round % 4 != 0)
            std::shuffle(all.begin(), all.end(), random);
        const auto first = all.begin() + static_cast<std::ptrdiff_t>(random() % all.size());
        const Ranks ranks(first, all.end());
        const model::Group group = model::make_group(ranks, 40);
        ASSERT_EQ(group.size(), static_cast<int>(ranks.size()));
        EXPECT_EQ(group.ranks(), ranks);
        for (int r = -2; r < 45; ++r) {
            const auto at = std::find(ranks.begin(), ranks.end(), r);
            const auto expected =
                at == ranks.end() ? std::nullopt : std::optional(static_cast<int>(at - ranks.begin()));
            ASSERT_EQ(group.position(r), expected) << model::to_text(group) << ", rank " << r;
        }
        for (int p = 0; p < group.size(); ++p)
            EXPECT_EQ(group.rank(p), ranks[static_cast<size_t>(p)]);
        EXPECT_EQ(from(wire_of(group)), group);
    }
}

TEST(Group, numbers_outside_have_no_position) {
    for (const model::Group &group : {model::Group({1, 2, 3}), model::Group({3, 1})})
        for (const int rank : {std::numeric_limits<int>::min(), -1, std::numeric_limits<int>::max()})
            EXPECT_EQ(group.position(rank), std::nullopt);
}

TEST(Group, the_order_counts) {
    EXPECT_FALSE(model::make_group(Ranks{0, 1}, 2) == model::make_group(Ranks{1, 0}, 2));
    EXPECT_EQ(model::make_group(Ranks{1, 0}, 2), model::make_group(Ranks{1, 0}, 9));
}

TEST(Group, text) {
    EXPECT_EQ(model::to_text(model::make_group(Ranks{0, 1, 2, 3, 8}, 9)), "0-3,8");
    EXPECT_EQ(model::to_text(model::make_group(Ranks{3, 2, 1}, 4)), "3,2,1");
    EXPECT_EQ(model::to_text(model::make_group(Ranks{5}, 6)), "5");
    EXPECT_EQ(model::to_text(model::make_group(Ranks{4, 5, 0, 1}, 6)), "4-5,0-1");
}

TEST(Group, the_wire_is_short_for_regular_groups) {
    Ranks all(100'000);
    for (size_t i = 0; i < all.size(); ++i)
        all[i] = static_cast<int>(i) + 3;
    const model::Group group = model::make_group(all, 200'000);
    EXPECT_LT(wire_of(group).size(), 64u);
    EXPECT_EQ(from(wire_of(group)), group);
    EXPECT_EQ(group.position(100'002), 99'999);
    EXPECT_EQ(group.position(2), std::nullopt);
}

TEST(Group, wrong_ranks_are_refused) {
    expect_refusal(DRI_ERR_ARG, {"procs[1]", "4", "0 to 3"}, [] { model::make_group(Ranks{0, 4}, 4); });
    expect_refusal(DRI_ERR_ARG, {"procs[0]", "-1"}, [] { model::make_group(Ranks{-1}, 4); });
    expect_refusal(DRI_ERR_ARG, {"procs[0]", "procs[2]", "3"}, [] { model::make_group(Ranks{3, 1, 3}, 4); });
}

} // namespace dri::test
