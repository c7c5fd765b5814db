// Positions in the trees of groups of many sizes, compared with the definition of a tree.
#include "transport/tree_position.hpp"

#include "support/set_up_words.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace dri::test {

using namespace dri;

TEST(TreePosition, FormsOneTreeOfEveryGroup) {
    for (int size = 1; size <= 70; ++size) {
        std::vector<int> members;
        for (int i = 0; i < size; ++i)
            members.push_back(3 * i + 1);
        std::map<int, transport::TreePosition> positions;
        int deepest = 0;
        for (const int rank : members) {
            positions[rank] = transport::find_tree_position(members, rank);
            deepest = std::max(deepest, positions[rank].depth);
        }
        std::vector<int> children;
        for (const auto &[rank, position] : positions) {
            EXPECT_TRUE(std::is_sorted(position.children.begin(), position.children.end()));
            for (const int child : position.children) {
                children.push_back(child);
                EXPECT_EQ(positions.at(child).parent, rank);
                EXPECT_EQ(positions.at(child).depth, position.depth + 1);
            }
            EXPECT_LE(deepest, position.height) << size;
        }
        EXPECT_EQ(positions.at(members[0]).parent, -1);
        std::sort(children.begin(), children.end());
        EXPECT_EQ(children, std::vector<int>(members.begin() + 1, members.end())) << "all but the root, each once";
    }
}

// The levels below a position, counted.
int levels_below(const std::vector<int> &members, int rank) {
    int max = 0;
    for (const int child : transport::find_tree_position(members, rank).children)
        max = std::max(max, 1 + levels_below(members, child));
    return max;
}

TEST(TreePosition, LaterChildrenHaveDeeperSubtrees) {
    for (int size = 1; size <= 40; ++size) {
        std::vector<int> members(static_cast<size_t>(size));
        std::iota(members.begin(), members.end(), 0);
        for (const int rank : members) {
            const auto children = transport::find_tree_position(members, rank).children;
            for (size_t k = 0; k < children.size(); ++k)
                EXPECT_LE(levels_below(members, children[k]), static_cast<int>(k)) << size;
        }
    }
}

TEST(TreePosition, IsRefusedToProcessesOutsideTheGroup) {
    const std::vector<int> members{2, 4};
    for (const int rank : {1, 3, 5})
        EXPECT_EQ(code_of([&] { transport::find_tree_position(members, rank); }), DRI_ERR_INTERNAL);
}

TEST(TreePosition, ListsOfManyRanksAreShortened) {
    std::vector<int> ranks(16);
    std::iota(ranks.begin(), ranks.end(), 5);
    EXPECT_EQ(transport::list_ranks(std::span(ranks).first(3)), "5, 6, 7");
    EXPECT_EQ(transport::list_ranks(ranks), "5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20");
    ranks.push_back(99);
    EXPECT_TRUE(transport::list_ranks(ranks).ends_with(", 20 and 1 more")) << transport::list_ranks(ranks);
}

} // namespace dri::test
