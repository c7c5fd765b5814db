// The queries of a distribution, against the definitions: every index and every place of every process.
#include "support/held.hpp"
#include "support/library.hpp"
#include "support/objects.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <array>

namespace dri_test {
namespace {

// A distribution and what each position of its group must hold.
struct Asked {
    Numbers sizes;
    std::vector<Cut> cuts;
    std::vector<int> procs, grid;

    int parts() const {
        int n = 1;
        for (int g : grid)
            n *= g;
        return n;
    }
    std::vector<int> coords(int position) const {
        std::vector<int> at(grid.size());
        int part = position % parts();
        for (size_t d = grid.size(); d-- > 0; part /= grid[d])
            at[d] = part % grid[d];
        return at;
    }
    std::vector<Numbers> indices(int position) const {
        std::vector<Numbers> out;
        const auto at = coords(position);
        for (size_t d = 0; d < grid.size(); ++d)
            out.push_back(held(cuts[d], sizes[d], grid[d], at[d]));
        return out;
    }
    Dist make() const {
        std::vector<Rule> rules;
        for (size_t d = 0; d < cuts.size(); ++d)
            rules.push_back({.kind = cuts[d].kind,
                             .nparts = cuts[d].kind == DRI_WHOLE ? 0 : grid[d],
                             .remainder = cuts[d].remainder,
                             .block = cuts[d].block,
                             .sizes = cuts[d].sizes.empty() ? nullptr : cuts[d].sizes.data()});
        return make_dist(make_gdo(sizes), make_part(rules), make_group(procs));
    }
};

// Row-major indices of an array, and whether there is one left.
bool advance(Numbers &index, const Numbers &sizes) {
    for (size_t d = sizes.size(); d-- > 0; index[d] = 0)
        if (++index[d] < sizes[d])
            return true;
    return false;
}

void expect_blocks(DRI_Dist dist, int rank, int dim, const Numbers &mine) {
    int64_t n = -1, at = 0;
    expect_success(DRI_dist_num_blocks(dist, rank, dim, &n), "DRI_dist_num_blocks");
    for (int64_t i = 0; i < n; ++i) {
        DRI_Block block;
        expect_success(DRI_dist_get_block(dist, rank, dim, i, &block), "DRI_dist_get_block");
        EXPECT_EQ(block.local, at);
        EXPECT_GT(block.size, 0);
        for (int64_t k = 0; k < block.size; ++k, ++at)
            EXPECT_TRUE(at < std::ssize(mine) && mine[static_cast<size_t>(at)] == block.global + k)
                << "block " << i << " of rank " << rank;
        for (int64_t overlap : {block.left_real, block.right_real, block.left_pad, block.right_pad})
            EXPECT_EQ(overlap, 0);
        for (int64_t reserved : block.reserved)
            EXPECT_EQ(reserved, 0);
    }
    EXPECT_EQ(at, std::ssize(mine)) << "elements in the blocks of rank " << rank;
}

void expect_part(DRI_Dist dist, const Asked &asked, int position) {
    const int rank = asked.procs[static_cast<size_t>(position)];
    const auto indices = asked.indices(position);
    const size_t ndims = asked.sizes.size();
    std::array<DRI_Part_tuple, 8> tuples;
    std::array<int64_t, 8> extents{};
    std::array<int, 8> coords{};
    int64_t owned = -1, held_count = -1, count = 1;
    expect_success(DRI_dist_get_part(dist, rank, tuples.data()), "DRI_dist_get_part");
    expect_success(DRI_dist_get_extents(dist, rank, extents.data()), "DRI_dist_get_extents");
    expect_success(DRI_dist_get_count(dist, rank, &owned, &held_count), "DRI_dist_get_count");
    expect_success(DRI_dist_get_coords(dist, rank, coords.data()), "DRI_dist_get_coords");
    for (size_t d = 0; d < ndims; ++d) {
        const Numbers &mine = indices[d];
        count *= std::ssize(mine);
        EXPECT_EQ(coords[d], asked.coords(position)[d]);
        EXPECT_EQ(extents[d], std::ssize(mine));
        EXPECT_EQ(tuples[d].left_v, 0);
        EXPECT_EQ(tuples[d].right_v, 0);
        EXPECT_EQ(tuples[d].right_x - tuples[d].left_x, mine.empty() ? 0 : mine.back() + 1 - mine.front());
        EXPECT_TRUE(mine.empty() || tuples[d].left_x == mine.front());
        expect_blocks(dist, rank, static_cast<int>(d), mine);
    }
    EXPECT_EQ(owned, count);
    EXPECT_EQ(held_count, count);
    if (count == 0)
        return;
    Numbers local(ndims, 0), shape(extents.begin(), extents.begin() + static_cast<ptrdiff_t>(ndims));
    do {
        Numbers global(ndims), found(ndims, -1), back(ndims, -1);
        for (size_t d = 0; d < ndims; ++d)
            global[d] = indices[d][static_cast<size_t>(local[d])];
        expect_success(DRI_dist_global_index(dist, rank, local.data(), found.data()), "DRI_dist_global_index");
        expect_success(DRI_dist_local_index(dist, rank, global.data(), back.data()), "DRI_dist_local_index");
        EXPECT_EQ(found, global);
        EXPECT_EQ(back, local);
    } while (advance(local, shape));
}

void expect_owners(DRI_Dist dist, const Asked &asked) {
    if (std::find(asked.sizes.begin(), asked.sizes.end(), 0) != asked.sizes.end())
        return;
    Numbers index(asked.sizes.size(), 0);
    do {
        std::vector<int> owners;
        for (int q = 0; q < std::ssize(asked.procs); ++q) {
            const auto indices = asked.indices(q);
            bool mine = true;
            for (size_t d = 0; d < indices.size(); ++d)
                mine = mine && std::find(indices[d].begin(), indices[d].end(), index[d]) != indices[d].end();
            if (mine)
                owners.push_back(asked.procs[static_cast<size_t>(q)]);
        }
        int rank = -1, n = -1;
        std::vector<int> copies(owners.size() + 1, -1);
        expect_success(DRI_dist_owner(dist, index.data(), &rank), "DRI_dist_owner");
        expect_success(DRI_dist_replicas(dist, index.data(), &n, nullptr), "DRI_dist_replicas");
        EXPECT_EQ(n, std::ssize(owners));
        expect_success(DRI_dist_replicas(dist, index.data(), &n, copies.data()), "DRI_dist_replicas");
        copies.pop_back();
        EXPECT_EQ(copies, owners);
        EXPECT_EQ(rank, owners.front());
    } while (advance(index, asked.sizes));
}

void expect_queries(const Asked &asked) {
    SCOPED_TRACE(text_of(asked.sizes));
    if (std::find(asked.procs.begin(), asked.procs.end(), world().rank) == asked.procs.end())
        return;
    const Dist dist = asked.make();
    std::vector<int> grid(asked.grid.size(), -1);
    expect_success(DRI_dist_get_grid(dist, grid.data()), "DRI_dist_get_grid");
    EXPECT_EQ(grid, asked.grid);
    for (int q = 0; q < std::ssize(asked.procs); ++q)
        expect_part(dist, asked, q);
    expect_owners(dist, asked);
}

const Cut whole, blocks{DRI_BLOCK}, last{DRI_BLOCK, 0, DRI_BALANCED_LAST}, ceil{DRI_BLOCK, 0, DRI_CEIL},
    proportional{DRI_BLOCK, 0, DRI_PROPORTIONAL}, cyclic{DRI_BLOCK_CYCLIC, 0, DRI_BALANCED, 1},
    cyclic3{DRI_BLOCK_CYCLIC, 0, DRI_BALANCED, 3};

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

TEST(Queries, EqualMeansTheSamePlaces) {
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
    EXPECT_TRUE(world().size == 1 || equal(a, d) == 0) << "another cut";
}

TEST(Queries, DescribeSaysWhatItIsAndCutsWhatDoesNotFit) {
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
        EXPECT_EQ(text[n], 'x') << "a byte behind the place for the text";
    }
}

TEST(Queries, APartitionTurns) {
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
                  held({DRI_BLOCK_CYCLIC, 0, DRI_BALANCED, 2}, 11, world().size, world().rank));
}

} // namespace
} // namespace dri_test
