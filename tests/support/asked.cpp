#include "support/asked.hpp"

#include "support/world.hpp"

#include <algorithm>
#include <array>

namespace dri::test {

using Numbers = std::vector<int64_t>;

// A line has two sides; both are the one that is asked for.
Asked::Asked(const std::string &sizes, const std::string &side)
    : text_(sizes + " " + side), case_(from_line(fmt::format("float {0} {1} -> {1}", sizes, side), world().size)),
      side_(make_side(case_, case_.source)), oracle_(case_, case_.source, side_) {}

std::vector<int64_t> Asked::coords(int position) const {
    Numbers at(grid().size());
    auto part = static_cast<int64_t>(position);
    for (size_t d = at.size(); d-- > 0; part /= grid()[d])
        at[d] = part % grid()[d];
    return at;
}

dri::model::Overlap Asked::overlap(int position, size_t d) const {
    dri::model::Overlap overlap = case_.source.rules[d].overlap;
    if (!has_grid()) {
        overlap.left = case_.source.boxes[static_cast<size_t>(position)][d].left;
        overlap.right = case_.source.boxes[static_cast<size_t>(position)][d].right;
    }
    return overlap;
}

Dist Asked::make() const {
    const auto position = std::find(procs().begin(), procs().end(), world().rank) - procs().begin();
    return std::move(make_case_endpoint(case_, case_.source, side_, static_cast<int>(position)).dist);
}

void expect_blocks(DRI_Dist dist, int rank, int dim, const ShownRow &row) {
    int64_t n = -1, at = 0;
    expect_success(DRI_dist_num_blocks(dist, rank, dim, &n), "DRI_dist_num_blocks");
    for (int64_t b = 0; b < n; ++b) {
        DRI_Block block;
        expect_success(DRI_dist_get_block(dist, rank, dim, b, &block), "DRI_dist_get_block");
        const int64_t left = block.left_real + block.left_pad, right = block.right_real + block.right_pad;
        EXPECT_EQ(block.local, at + left);
        EXPECT_GT(block.size, 0);
        for (int64_t i = 0; i < left + block.size + right; ++i, ++at) {
            ASSERT_LT(at, std::ssize(row.index)) << "block " << b << " of rank " << rank;
            const auto k = static_cast<size_t>(at);
            const bool own = i >= left && i < left + block.size;
            EXPECT_EQ(row.owned[k], own) << "block " << b << " of rank " << rank;
            EXPECT_TRUE(!own || row.index[k] == block.global + i - left) << "block " << b << " of rank " << rank;
            EXPECT_EQ(row.pad[k], i < block.left_pad || i >= left + block.size + block.right_real)
                << "block " << b << " of rank " << rank;
        }
        for (int64_t reserved : block.reserved)
            EXPECT_EQ(reserved, 0);
    }
    EXPECT_EQ(at, std::ssize(row.index)) << "elements in the blocks of rank " << rank;
}

namespace {

using dri::model::Edge;

std::string joined(const Numbers &numbers) { return fmt::format("[{}]", fmt::join(numbers, ",")); }

// Moves to the next index of an array in row-major order. False after the last one.
bool advance(Numbers &index, const Numbers &sizes) {
    for (size_t d = sizes.size(); d-- > 0; index[d] = 0)
        if (++index[d] < sizes[d])
            return true;
    return false;
}

// The local offset of an index: the first one that owns it, otherwise the first one in the overlap, otherwise -1.
int64_t offset_of(const ShownRow &row, int64_t index) {
    for (const bool owned : {true, false})
        for (size_t i = 0; i < row.index.size(); ++i)
            if (row.index[i] == index && row.owned[i] == owned && !row.pad[i])
                return static_cast<int64_t>(i);
    return -1;
}

// Expects the smallest and the largest owned index, and the overlap beside them.
void expect_tuple(const DRI_Part_tuple &tuple, const ShownRow &row, const dri::model::Overlap &overlap,
                  int64_t n) {
    int64_t lo = n, hi = 0;
    for (size_t i = 0; i < row.index.size(); ++i)
        if (row.owned[i]) {
            lo = std::min(lo, row.index[i]);
            hi = std::max(hi, row.index[i] + 1);
        }
    EXPECT_EQ(tuple.right_x - tuple.left_x, std::max<int64_t>(hi - lo, 0));
    if (lo >= hi)
        return;
    EXPECT_EQ(tuple.left_x, lo);
    EXPECT_EQ(tuple.left_v, overlap.left_edge == Edge::truncate ? std::min(overlap.left, lo) : overlap.left);
    EXPECT_EQ(tuple.right_v,
              overlap.right_edge == Edge::truncate ? std::min(overlap.right, n - hi) : overlap.right);
}

void expect_part(DRI_Dist dist, const Asked &asked, int position) {
    const int rank = asked.procs()[static_cast<size_t>(position)];
    const size_t ndims = asked.sizes().size();
    std::array<DRI_Part_tuple, 8> tuples;
    std::array<int64_t, 8> extents{};
    std::array<int, 8> coords{};
    int64_t owned = -1, held_count = -1, own = 1, count = 1;
    expect_success(DRI_dist_get_part(dist, rank, tuples.data()), "DRI_dist_get_part");
    expect_success(DRI_dist_get_extents(dist, rank, extents.data()), "DRI_dist_get_extents");
    expect_success(DRI_dist_get_count(dist, rank, &owned, &held_count), "DRI_dist_get_count");
    EXPECT_EQ(DRI_dist_get_coords(dist, rank, coords.data()),
              asked.has_grid() ? static_cast<int>(DRI_SUCCESS) : static_cast<int>(DRI_ERR_UNSUPPORTED));
    for (size_t d = 0; d < ndims; ++d) {
        const ShownRow &row = asked.row(position, d);
        count *= std::ssize(row.index);
        own *= std::count(row.owned.begin(), row.owned.end(), true);
        EXPECT_TRUE(!asked.has_grid() || coords[d] == asked.coords(position)[d]);
        EXPECT_EQ(extents[d], std::ssize(row.index));
        expect_tuple(tuples[d], row, asked.overlap(position, d), asked.sizes()[d]);
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
            global[d] = asked.row(position, d).index[static_cast<size_t>(local[d])];
            zeros = zeros || global[d] == ShownRow::zeros;
        }
        const int code = DRI_dist_global_index(dist, rank, local.data(), found.data());
        EXPECT_EQ(code, zeros ? static_cast<int>(DRI_ERR_ARG) : static_cast<int>(DRI_SUCCESS)) << joined(local);
        EXPECT_TRUE(zeros || found == global) << joined(local);
    } while (advance(local, shape));
    const Numbers sizes(asked.sizes().begin(), asked.sizes().end());
    Numbers index(ndims, 0);
    do {
        Numbers expected(ndims), back(ndims, -1);
        for (size_t d = 0; d < ndims; ++d)
            expected[d] = offset_of(asked.row(position, d), index[d]);
        const bool here = std::find(expected.begin(), expected.end(), -1) == expected.end();
        const int code = DRI_dist_local_index(dist, rank, index.data(), back.data());
        EXPECT_EQ(code, here ? static_cast<int>(DRI_SUCCESS) : static_cast<int>(DRI_ERR_ARG)) << joined(index);
        EXPECT_TRUE(!here || back == expected) << joined(index);
    } while (advance(index, sizes));
}

void expect_owners(DRI_Dist dist, const Asked &asked) {
    const Numbers sizes(asked.sizes().begin(), asked.sizes().end());
    if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end())
        return;
    Numbers index(sizes.size(), 0);
    do {
        std::vector<int> owners;
        for (int q = 0; q < std::ssize(asked.procs()); ++q) {
            bool mine = true;
            for (size_t d = 0; d < index.size(); ++d) {
                const ShownRow &row = asked.row(q, d);
                bool owned = false;
                for (size_t i = 0; i < row.index.size(); ++i)
                    owned = owned || (row.owned[i] && row.index[i] == index[d]);
                mine = mine && owned;
            }
            if (mine)
                owners.push_back(asked.procs()[static_cast<size_t>(q)]);
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
        EXPECT_TRUE(owners.empty() || rank == owners.front()) << joined(index);
    } while (advance(index, sizes));
}

} // namespace

void expect_queries(const std::string &sizes, const std::string &side) {
    const Asked asked(sizes, side);
    SCOPED_TRACE(asked.text());
    if (std::find(asked.procs().begin(), asked.procs().end(), world().rank) == asked.procs().end())
        return;
    const Dist dist = asked.make();
    std::vector<int> grid(asked.sizes().size(), -1);
    const int code = DRI_dist_get_grid(dist, grid.data());
    EXPECT_EQ(code, asked.has_grid() ? static_cast<int>(DRI_SUCCESS) : static_cast<int>(DRI_ERR_UNSUPPORTED));
    EXPECT_TRUE(!asked.has_grid() || std::equal(grid.begin(), grid.end(), asked.grid().begin()));
    for (int q = 0; q < std::ssize(asked.procs()); ++q)
        expect_part(dist, asked, q);
    expect_owners(dist, asked);
}

} // namespace dri::test
