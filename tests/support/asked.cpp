#include "support/asked.hpp"

#include "support/cut_objects.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <array>

namespace dri_test {

Row Asked::row(int position, size_t d) const {
    if (pieces.empty())
        return shown(cuts[d], sizes[d], grid[d], coords(position)[d]);
    const DRI_Part_tuple &t = pieces[static_cast<size_t>(position)][d];
    Cut cut = cuts[d];
    cut.left = t.left_v;
    cut.right = t.right_v;
    Row row;
    if (t.left_x < t.right_x)
        show_block(cut, sizes[d], t.left_x, t.right_x, row);
    return row;
}

Dist Asked::make() const {
    const auto position = static_cast<int>(std::find(procs.begin(), procs.end(), world().rank) - procs.begin());
    const Gdo gdo = make_gdo(sizes);
    const Group group = make_group(procs);
    if (!pieces.empty()) {
        std::vector<DRI_Edge> left, right;
        for (const Cut &cut : cuts) {
            left.push_back(cut.left_edge);
            right.push_back(cut.right_edge);
        }
        return make_dist(gdo, with_edges(make_exact(pieces[static_cast<size_t>(position)]), left, right), group);
    }
    std::vector<Rule> rules;
    for (size_t d = 0; d < cuts.size(); ++d) {
        Rule rule = rule_of(cuts[d], coords(position)[d]);
        rule.nparts = cuts[d].kind == DRI_WHOLE ? 0 : grid[d];
        rules.push_back(rule);
    }
    return make_dist(gdo, make_part(rules), group);
}

void expect_blocks(DRI_Dist dist, int rank, int dim, const Row &row) {
    int64_t n = -1, at = 0;
    expect_success(DRI_dist_num_blocks(dist, rank, dim, &n), "DRI_dist_num_blocks");
    for (int64_t b = 0; b < n; ++b) {
        DRI_Block block;
        expect_success(DRI_dist_get_block(dist, rank, dim, b, &block), "DRI_dist_get_block");
        const int64_t left = block.left_real + block.left_pad, right = block.right_real + block.right_pad;
        EXPECT_EQ(block.local, at + left);
        EXPECT_GT(block.size, 0);
        for (int64_t i = 0; i < left + block.size + right; ++i, ++at) {
            ASSERT_LT(at, std::ssize(row)) << "block " << b << " of rank " << rank;
            const Shown &shows = row[static_cast<size_t>(at)];
            const bool own = i >= left && i < left + block.size;
            EXPECT_EQ(shows.owned, own) << "block " << b << " of rank " << rank;
            EXPECT_TRUE(!own || shows.index == block.global + i - left) << "block " << b << " of rank " << rank;
            EXPECT_EQ(shows.pad, i < block.left_pad || i >= left + block.size + block.right_real)
                << "block " << b << " of rank " << rank;
        }
        for (int64_t reserved : block.reserved)
            EXPECT_EQ(reserved, 0);
    }
    EXPECT_EQ(at, std::ssize(row)) << "elements in the blocks of rank " << rank;
}

namespace {

// Moves to the next index of an array in row-major order. False after the last one.
bool advance(Numbers &index, const Numbers &sizes) {
    for (size_t d = sizes.size(); d-- > 0; index[d] = 0)
        if (++index[d] < sizes[d])
            return true;
    return false;
}

// The local offset of an index: the first one that owns it, otherwise the first one in the overlap, otherwise -1.
int64_t offset_of(const Row &row, int64_t index) {
    for (const bool owned : {true, false})
        for (size_t i = 0; i < row.size(); ++i)
            if (row[i].index == index && row[i].owned == owned && !row[i].pad)
                return static_cast<int64_t>(i);
    return -1;
}

// Expects the smallest and the largest owned index, and the overlap beside them.
void expect_tuple(const DRI_Part_tuple &tuple, const Row &row, const Cut &cut, int64_t n) {
    int64_t lo = n, hi = 0;
    for (const Shown &shows : row)
        if (shows.owned) {
            lo = std::min(lo, shows.index);
            hi = std::max(hi, shows.index + 1);
        }
    EXPECT_EQ(tuple.right_x - tuple.left_x, std::max<int64_t>(hi - lo, 0));
    if (lo >= hi)
        return;
    EXPECT_EQ(tuple.left_x, lo);
    EXPECT_EQ(tuple.left_v, cut.left_edge == DRI_TRUNCATE ? std::min(cut.left, lo) : cut.left);
    EXPECT_EQ(tuple.right_v, cut.right_edge == DRI_TRUNCATE ? std::min(cut.right, n - hi) : cut.right);
}

void expect_part(DRI_Dist dist, const Asked &asked, int position) {
    const int rank = asked.procs[static_cast<size_t>(position)];
    const size_t ndims = asked.sizes.size();
    std::vector<Row> rows;
    std::array<DRI_Part_tuple, 8> tuples;
    std::array<int64_t, 8> extents{};
    std::array<int, 8> coords{};
    int64_t owned = -1, held_count = -1, own = 1, count = 1;
    expect_success(DRI_dist_get_part(dist, rank, tuples.data()), "DRI_dist_get_part");
    expect_success(DRI_dist_get_extents(dist, rank, extents.data()), "DRI_dist_get_extents");
    expect_success(DRI_dist_get_count(dist, rank, &owned, &held_count), "DRI_dist_get_count");
    EXPECT_EQ(DRI_dist_get_coords(dist, rank, coords.data()),
              asked.pieces.empty() ? static_cast<int>(DRI_SUCCESS) : static_cast<int>(DRI_ERR_UNSUPPORTED));
    for (size_t d = 0; d < ndims; ++d) {
        const Row &row = rows.emplace_back(asked.row(position, d));
        count *= std::ssize(row);
        own *= std::count_if(row.begin(), row.end(), [](const Shown &shows) { return shows.owned; });
        EXPECT_TRUE(!asked.pieces.empty() || coords[d] == asked.coords(position)[d]);
        EXPECT_EQ(extents[d], std::ssize(row));
        Cut cut = asked.cuts[d];
        if (!asked.pieces.empty()) {
            cut.left = asked.pieces[static_cast<size_t>(position)][d].left_v;
            cut.right = asked.pieces[static_cast<size_t>(position)][d].right_v;
        }
        expect_tuple(tuples[d], row, cut, asked.sizes[d]);
        expect_blocks(dist, rank, static_cast<int>(d), row);
    }
    EXPECT_EQ(owned, own);
    EXPECT_EQ(held_count, count);
    if (count == 0)
        return;
    Numbers local(ndims, 0), shape(extents.begin(), extents.begin() + static_cast<ptrdiff_t>(ndims));
    do {
        Numbers global(ndims), found(ndims, -1);
        bool zeros = false;
        for (size_t d = 0; d < ndims; ++d) {
            global[d] = rows[d][static_cast<size_t>(local[d])].index;
            zeros = zeros || global[d] == Shown::zeros;
        }
        const int code = DRI_dist_global_index(dist, rank, local.data(), found.data());
        EXPECT_EQ(code, zeros ? static_cast<int>(DRI_ERR_ARG) : static_cast<int>(DRI_SUCCESS)) << text_of(local);
        EXPECT_TRUE(zeros || found == global) << text_of(local);
    } while (advance(local, shape));
    Numbers index(ndims, 0);
    do {
        Numbers expected(ndims), back(ndims, -1);
        for (size_t d = 0; d < ndims; ++d)
            expected[d] = offset_of(rows[d], index[d]);
        const bool here = std::find(expected.begin(), expected.end(), -1) == expected.end();
        const int code = DRI_dist_local_index(dist, rank, index.data(), back.data());
        EXPECT_EQ(code, here ? static_cast<int>(DRI_SUCCESS) : static_cast<int>(DRI_ERR_ARG)) << text_of(index);
        EXPECT_TRUE(!here || back == expected) << text_of(index);
    } while (advance(index, asked.sizes));
}

void expect_owners(DRI_Dist dist, const Asked &asked) {
    if (std::find(asked.sizes.begin(), asked.sizes.end(), 0) != asked.sizes.end())
        return;
    std::vector<std::vector<Row>> rows(asked.procs.size());
    for (int q = 0; q < std::ssize(asked.procs); ++q)
        for (size_t d = 0; d < asked.sizes.size(); ++d)
            rows[static_cast<size_t>(q)].push_back(asked.row(q, d));
    Numbers index(asked.sizes.size(), 0);
    do {
        std::vector<int> owners;
        for (int q = 0; q < std::ssize(asked.procs); ++q) {
            bool mine = true;
            for (size_t d = 0; d < index.size(); ++d) {
                const Row &row = rows[static_cast<size_t>(q)][d];
                mine = mine && std::any_of(row.begin(), row.end(), [&](const Shown &shows) {
                           return shows.owned && shows.index == index[d];
                       });
            }
            if (mine)
                owners.push_back(asked.procs[static_cast<size_t>(q)]);
        }
        int rank = -1, n = -1;
        std::vector<int> copies(owners.size() + 1, -1);
        expect_success(DRI_dist_replicas(dist, index.data(), &n, nullptr), "DRI_dist_replicas");
        EXPECT_EQ(n, std::ssize(owners));
        expect_success(DRI_dist_replicas(dist, index.data(), &n, copies.data()), "DRI_dist_replicas");
        copies.pop_back();
        EXPECT_EQ(copies, owners);
        const int code = DRI_dist_owner(dist, index.data(), &rank);
        EXPECT_EQ(code, owners.empty() ? static_cast<int>(DRI_ERR_ARG) : static_cast<int>(DRI_SUCCESS));
        EXPECT_TRUE(owners.empty() || rank == owners.front()) << text_of(index);
    } while (advance(index, asked.sizes));
}

} // namespace

void expect_queries(const Asked &asked) {
    SCOPED_TRACE(text_of(asked.sizes));
    if (std::find(asked.procs.begin(), asked.procs.end(), world().rank) == asked.procs.end())
        return;
    const Dist dist = asked.make();
    std::vector<int> grid(asked.sizes.size(), -1);
    const int code = DRI_dist_get_grid(dist, grid.data());
    EXPECT_EQ(code, asked.pieces.empty() ? static_cast<int>(DRI_SUCCESS) : static_cast<int>(DRI_ERR_UNSUPPORTED));
    EXPECT_TRUE(!asked.pieces.empty() || grid == asked.grid);
    for (int q = 0; q < std::ssize(asked.procs); ++q)
        expect_part(dist, asked, q);
    expect_owners(dist, asked);
}

} // namespace dri_test
