// Places in the trees of groups of many sizes, against what a tree is.
#include "transport/tree_place.hpp"

#include "support/set_up_words.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace dri_test {

using namespace dri;

TEST(TreePlace, MakesOneTreeOfEveryGroup) {
    for (int size = 1; size <= 70; ++size) {
        std::vector<int> members;
        for (int i = 0; i < size; ++i)
            members.push_back(3 * i + 1);
        std::map<int, TreePlace> places;
        int deepest = 0;
        for (const int rank : members) {
            places[rank] = find_place(members, rank);
            deepest = std::max(deepest, places[rank].depth);
        }
        std::vector<int> children;
        for (const auto &[rank, place] : places) {
            EXPECT_TRUE(std::is_sorted(place.children.begin(), place.children.end()));
            for (const int child : place.children) {
                children.push_back(child);
                EXPECT_EQ(places.at(child).parent, rank);
                EXPECT_EQ(places.at(child).depth, place.depth + 1);
            }
            EXPECT_LE(deepest, place.height) << size;
        }
        EXPECT_EQ(places.at(members[0]).parent, -1);
        std::sort(children.begin(), children.end());
        EXPECT_EQ(children, std::vector<int>(members.begin() + 1, members.end())) << "all but the root, each once";
    }
}

// The levels below a place, counted.
int levels_below(const std::vector<int> &members, int rank) {
    int most = 0;
    for (const int child : find_place(members, rank).children)
        most = std::max(most, 1 + levels_below(members, child));
    return most;
}

TEST(TreePlace, LaterChildrenHaveMoreLevelsBelowThem) {
    for (int size = 1; size <= 40; ++size) {
        std::vector<int> members(static_cast<size_t>(size));
        std::iota(members.begin(), members.end(), 0);
        for (const int rank : members) {
            const auto children = find_place(members, rank).children;
            for (size_t k = 0; k < children.size(); ++k)
                EXPECT_LE(levels_below(members, children[k]), static_cast<int>(k)) << size;
        }
    }
}

TEST(TreePlace, IsRefusedToWhoIsNoMember) {
    const std::vector<int> members{2, 4};
    for (const int rank : {1, 3, 5})
        EXPECT_EQ(code_of([&] { find_place(members, rank); }), DRI_ERR_INTERNAL);
}

TEST(TreePlace, ListsOfManyRanksAreCutShort) {
    std::vector<int> ranks(16);
    std::iota(ranks.begin(), ranks.end(), 5);
    EXPECT_EQ(list_ranks(std::span(ranks).first(3)), "5, 6, 7");
    EXPECT_EQ(list_ranks(ranks), "5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20");
    ranks.push_back(99);
    EXPECT_TRUE(list_ranks(ranks).ends_with(", 20 and 1 more")) << list_ranks(ranks);
}

} // namespace dri_test
