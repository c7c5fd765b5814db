// Compares the queries of a distribution with the definitions, for every index and local offset of every process.
#include "support/asked.hpp"
#include "support/library.hpp"
#include "support/world.hpp"

#include <array>
#include <numeric>

namespace dri::test {
namespace {

// The letters of the edges, in the order of DRI_Edge.
constexpr std::array<const char *, 4> edges{"", "w", "z", "r"};

TEST(Queries, OfOneDimension) {
    for (const char *cut :
         {"block", "block(0,last)", "block(0,ceil)", "block(0,prop)", "cyclic(0,1)", "cyclic(0,3)"})
        for (int size : {0, 1, 2, 7, 16, 33})
            expect_queries(fmt::format("[{}]", size), fmt::format("{} rm", cut));
}

TEST(Queries, OfExactSizes) {
    std::vector<int> sizes;
    for (int c = 0; c < world().size; ++c)
        sizes.push_back(c * 5 % 4);
    expect_queries(fmt::format("[{},3]", std::accumulate(sizes.begin(), sizes.end(), 0)),
                   fmt::format("sizes({}),* rm", fmt::join(sizes, ":")));
}

TEST(Queries, OfWeights) {
    std::vector<double> weights;
    for (int c = 0; c < world().size; ++c)
        weights.push_back(c % 3 == 2 ? 0 : 1.5 + c);
    for (int size : {0, 1, 5, 23})
        expect_queries(fmt::format("[{},2]", size), fmt::format("weights({}),* rm", fmt::join(weights, ":")));
}

TEST(Queries, OfOverlapWithEveryEdge) {
    for (const char *cut : {"*", "block", "block(0,ceil)", "cyclic(0,1)", "cyclic(0,3)"})
        for (size_t edge = 0; edge < 4; ++edge)
            for (int width : {1, 4, 19})
                expect_queries("[8,2]", fmt::format("{0}<{1}{2}:{3}{4}>,*<0:1{2}> rm over all", cut, width,
                                                    edges[edge], width / 2, edges[3 - edge]));
}

// The example in the interface description.
TEST(Queries, OfFiveColumnsOverFour) {
    if (world().size != 4)
        GTEST_SKIP() << "needs exactly four processes, as in the example";
    const std::string columns = "*,block<2z:2z> rm";
    expect_queries("[3,5]", columns);
    const Dist dist = Asked("[3,5]", columns).make();
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
    std::vector<std::string> lists;
    for (int c = 0; c < n; ++c) { // last indices first; some in two lists, some twice in a list, and 5 in none
        std::vector<int> list;
        for (int i = 16; i-- > 0 && c != 2;)
            if (i != 5 && (i % n == c || i % 7 == 0))
                list.push_back(i);
        if (c == 0)
            list.push_back(list.front());
        lists.push_back(fmt::format("{}", fmt::join(list, ":")));
    }
    const std::string cut = fmt::format("idx({})", fmt::join(lists, "|"));
    expect_queries("[16,3]", cut + ",* rm");
    expect_queries("[2,16]", "*," + cut + "<2w:1> rm");
    expect_queries("[16]", cut + "<3:40w> rm");
    expect_queries("[16]", cut + "<1z:2r> rm");
}

TEST(Queries, OfExactPieces) {
    const int n = world().size;
    for (size_t edge = 0; edge < 4; ++edge) {
        // pieces like stairs; the last one holds the rest of the first columns
        std::vector<std::string> pieces;
        for (int c = 0; c < n; ++c) {
            // The first piece owns nothing and has only overlap.
            const int start = c == 0 ? 3 : c % 4, size = c == 0 ? 0 : 6 - start;
            pieces.push_back(fmt::format("{}+2<1{}:{}{}>,{}+{}<{}{}:{}{}>", 2 * c, edges[edge], c % 3,
                                         edges[3 - edge], start, size, c == 0 ? 5 : 0, edges[edge], c == 0 ? 5 : 2,
                                         edges[3 - edge]));
        }
        expect_queries(fmt::format("[{},6]", 2 * n), fmt::format("{{{}}} rm", fmt::join(pieces, "|")));
    }
}

TEST(Queries, OfGridsInOtherOrdersOfTheGroup) {
    const int n = world().size;
    for (int rows = 1; rows <= n; ++rows)
        if (n % rows == 0)
            expect_queries("[9,3,10]",
                           fmt::format("cyclic({},3),*,block({},last) rm over {}-0", rows, n / rows, n - 1));
}

TEST(Queries, OfReplicatedData) {
    const int n = world().size;
    for (int parts = 1; parts <= n; ++parts)
        if (n % parts == 0)
            expect_queries("[11,2]", fmt::format("block({},ceil),* rm over all", parts));
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
    expect_blocks(dist, world().rank, 1, Asked("[5,11,4]", "*,cyclic(0,2),* rm").row(world().rank, 1));
}

} // namespace
} // namespace dri::test
