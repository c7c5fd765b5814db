// Compares the queries of a distribution with the definitions, for every index and local offset of every process.
#include "support/asked.hpp"
#include "support/library.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <array>

namespace dri_test {
namespace {

Cut with_overlap(Cut cut, int64_t left, DRI_Edge left_edge, int64_t right, DRI_Edge right_edge) {
    cut.left = left;
    cut.right = right;
    cut.left_edge = left_edge;
    cut.right_edge = right_edge;
    return cut;
}

const Cut last{DRI_BLOCK, 0, DRI_BALANCED_LAST}, ceil{DRI_BLOCK, 0, DRI_CEIL},
    proportional{DRI_BLOCK, 0, DRI_PROPORTIONAL}, cyclic{DRI_BLOCK_CYCLIC, 0, DRI_BALANCED, 1};

TEST(Queries, OfOneDimension) {
    const int n = world().size;
    for (const Cut &cut : {blocks, last, ceil, proportional, cyclic, cyclic3})
        for (int64_t size : {0, 1, 2, 7, 16, 33})
            expect_queries({{size}, {cut}, all_ranks(), {n}});
}

TEST(Queries, OfExactSizes) {
    const int n = world().size;
    Numbers sizes;
    int64_t sum = 0;
    for (int64_t c = 0; c < n; ++c)
        sum += sizes.emplace_back(c * 5 % 4);
    expect_queries({{sum, 3}, {{DRI_SIZES, n, DRI_BALANCED, 0, sizes}, whole}, all_ranks(), {n, 1}});
}

TEST(Queries, OfWeights) {
    const int n = world().size;
    Cut cut{DRI_WEIGHTS, n};
    for (int c = 0; c < n; ++c)
        cut.weights.push_back(c % 3 == 2 ? 0 : 1.5 + c);
    for (int64_t size : {0, 1, 5, 23})
        expect_queries({{size, 2}, {cut, whole}, all_ranks(), {n, 1}});
}

TEST(Queries, OfOverlapWithEveryEdge) {
    const int n = world().size;
    for (const Cut &cut : {whole, blocks, ceil, cyclic, cyclic3})
        for (DRI_Edge left : {DRI_TRUNCATE, DRI_WRAP, DRI_PAD_ZERO, DRI_PAD_REPLICATE})
            for (int64_t width : {1, 4, 19})
                expect_queries({{8, 2},
                                {with_overlap(cut, width, left, width / 2, DRI_Edge(3 - left)),
                                 with_overlap(whole, 0, DRI_TRUNCATE, 1, left)},
                                all_ranks(),
                                {cut.kind == DRI_WHOLE ? 1 : n, 1}});
}

// The example in the interface description.
TEST(Queries, OfFiveColumnsOverFour) {
    if (world().size != 4)
        GTEST_SKIP() << "needs exactly four processes, as in the example";
    const Cut cut = with_overlap(blocks, 2, DRI_PAD_ZERO, 2, DRI_PAD_ZERO);
    const Asked asked{{3, 5}, {whole, cut}, all_ranks(), {1, 4}};
    expect_queries(asked);
    const Dist dist = asked.make();
    const int64_t sizes[]{2, 1, 1, 1};
    for (int rank = 0; rank < 4; ++rank) {
        DRI_Block block;
        expect_success(DRI_dist_get_block(dist, rank, 1, 0, &block), "DRI_dist_get_block");
        EXPECT_EQ(block.size, sizes[rank]);
        if (rank == 2) {
            EXPECT_EQ(block.right_real, 1);
            EXPECT_EQ(block.right_pad, 1);
        }
    }
}

TEST(Queries, OfListsOfIndices) {
    const int n = world().size;
    Cut cut{DRI_INDICES, n};
    for (int c = 0; c < n; ++c) { // last indices first; some in two lists, some twice in a list, and 5 in none
        Numbers list;
        for (int64_t i = 16; i-- > 0;)
            if (i != 5 && (i % n == c || i % 7 == 0))
                list.push_back(i);
        if (c == 0)
            list.push_back(list.front());
        cut.lists.push_back(c == 2 ? Numbers{} : list);
    }
    expect_queries({{16, 3}, {cut, whole}, all_ranks(), {n, 1}});
    expect_queries({{2, 16}, {whole, with_overlap(cut, 2, DRI_WRAP, 1, DRI_TRUNCATE)}, all_ranks(), {1, n}});
    expect_queries({{16}, {with_overlap(cut, 3, DRI_TRUNCATE, 40, DRI_WRAP)}, all_ranks(), {n}});
    expect_queries({{16}, {with_overlap(cut, 1, DRI_PAD_ZERO, 2, DRI_PAD_REPLICATE)}, all_ranks(), {n}});
}

TEST(Queries, OfExactPieces) {
    const int n = world().size;
    // pieces like stairs; the last one holds the rest of the first columns
    std::vector<std::vector<DRI_Part_tuple>> pieces;
    for (int c = 0; c < n; ++c)
        pieces.push_back({{1, 2 * c, 2 * c + 2, c % 3}, {0, c % 4, 6, 2}});
    pieces[0][1] = {5, 3, 3, 5}; // owns nothing and has only overlap
    for (DRI_Edge edge : {DRI_TRUNCATE, DRI_WRAP, DRI_PAD_ZERO, DRI_PAD_REPLICATE}) {
        Cut edges;
        edges.left_edge = edge;
        edges.right_edge = DRI_Edge(3 - edge);
        expect_queries({{2 * n, 6}, {edges, edges}, all_ranks(), {}, pieces});
    }
}

TEST(Queries, OfGridsInOtherOrdersOfTheGroup) {
    const int n = world().size;
    std::vector<int> backwards = all_ranks();
    std::reverse(backwards.begin(), backwards.end());
    for (int rows = 1; rows <= n; ++rows)
        if (n % rows == 0)
            expect_queries({{9, 3, 10}, {cyclic3, whole, last}, backwards, {rows, 1, n / rows}});
}

TEST(Queries, OfReplicatedData) {
    const int n = world().size;
    for (int parts = 1; parts <= n; ++parts)
        if (n % parts == 0)
            expect_queries({{11, 2}, {ceil, whole}, all_ranks(), {parts, 1}});
}

TEST(Queries, OfNoDimensions) {
    const Dist dist = make_dist(make_gdo({}), make_part({}), make_world());
    int rank = -1, n = -1;
    int64_t owned = -1;
    expect_success(DRI_dist_owner(dist, nullptr, &rank), "DRI_dist_owner");
    EXPECT_EQ(rank, 0);
    expect_success(DRI_dist_replicas(dist, nullptr, &n, nullptr), "DRI_dist_replicas");
    EXPECT_EQ(n, world().size);
    expect_success(DRI_dist_get_count(dist, world().rank, &owned, nullptr), "DRI_dist_get_count");
    EXPECT_EQ(owned, 1);
}

TEST(Queries, EqualDistributionsHaveTheSameElements) {
    const Group all = make_world();
    const Gdo gdo = make_gdo({12, 7}), other = make_gdo({12, 8});
    const Dist a = make_dist(gdo, make_blocks(2, 0), all), b = make_dist(gdo, make_blocks(2, 0), all);
    const Dist c = make_dist(other, make_blocks(2, 0), all), d = make_dist(gdo, make_blocks(2, 1), all);
    const auto equal = [](DRI_Dist x, DRI_Dist y) {
        int flag = -1;
        expect_success(DRI_dist_equal(x, y, &flag), "DRI_dist_equal");
        return flag;
    };
    EXPECT_EQ(equal(a, a), 1);
    EXPECT_EQ(equal(a, b), 1);
    EXPECT_EQ(equal(a, c), 0) << "another GDO";
    EXPECT_EQ(equal(c, a), 0) << "another GDO";
    EXPECT_TRUE(world().size == 1 || equal(a, d) == 0) << "another partition";
}

TEST(Queries, DescribePrintsTheObjectAndTruncates) {
    const Dist dist = make_dist(make_gdo({12, 7}, DRI_DOUBLE), make_blocks(2, 0), make_world());
    std::array<char, 200> text;
    text.fill('x');
    expect_success(DRI_dist_describe(dist, text.data(), text.size()), "DRI_dist_describe");
    const std::string whole_text = text.data();
    for (const char *part : {"double", "[12,7]", "block"})
        EXPECT_NE(whole_text.find(part), std::string::npos) << whole_text;
    for (size_t n : {size_t{1}, size_t{5}, whole_text.size(), whole_text.size() + 1}) {
        text.fill('x');
        expect_success(DRI_dist_describe(dist, text.data(), n), "DRI_dist_describe");
        EXPECT_EQ(std::string(text.data()), whole_text.substr(0, n - 1));
        EXPECT_EQ(text[n], 'x') << "the byte behind the output text";
    }
}

TEST(Queries, APartitionIsPermuted) {
    const Group all = make_world();
    const Part part = make_part({{.kind = DRI_BLOCK_CYCLIC, .block = 2}, {}, {}});
    const int perm[]{2, 0, 1};
    Part turned;
    expect_success(DRI_part_turn(part, perm, turned.out()), "DRI_part_turn");
    const Dist dist = make_dist(make_gdo({5, 11, 4}), turned, all);
    int grid[3]{};
    expect_success(DRI_dist_get_grid(dist, grid), "DRI_dist_get_grid");
    EXPECT_EQ(grid[0], 1);
    EXPECT_EQ(grid[1], world().size);
    EXPECT_EQ(grid[2], 1);
    expect_blocks(dist, world().rank, 1,
                  shown({DRI_BLOCK_CYCLIC, 0, DRI_BALANCED, 2}, 11, world().size, world().rank));
}

} // namespace
} // namespace dri_test
