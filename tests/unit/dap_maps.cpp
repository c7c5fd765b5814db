// Counts and maps of a dimension, compared with a walk over all indices. Nothing here starts the library.
#include "support/dice.hpp"

#include <dri/dap.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>

namespace dri::test {
namespace {

using Indices = std::vector<int64_t>;

DRI_Dap_dim cyclic(int64_t size, int grid, int rank, int64_t block) {
    DRI_Dap_dim dim{};
    dim.dist_type = 'c';
    dim.keys = DRI_DAP_SIZE | DRI_DAP_GRID_SIZE | DRI_DAP_GRID_RANK | DRI_DAP_START | DRI_DAP_BLOCK_SIZE;
    dim.size = size;
    dim.proc_grid_size = grid;
    dim.proc_grid_rank = rank;
    dim.start = rank * block;
    dim.block_size = block;
    return dim;
}

DRI_Dap_dim block(int64_t size, int64_t start, int64_t stop, int64_t left, int64_t right) {
    DRI_Dap_dim dim{};
    dim.dist_type = 'b';
    dim.keys =
        DRI_DAP_SIZE | DRI_DAP_GRID_SIZE | DRI_DAP_GRID_RANK | DRI_DAP_START | DRI_DAP_STOP | DRI_DAP_PADDING;
    dim.size = size;
    dim.proc_grid_size = 3;
    dim.proc_grid_rank = 1;
    dim.start = start;
    dim.stop = stop;
    dim.padding[0] = left;
    dim.padding[1] = right;
    return dim;
}

DRI_Dap_dim unstructured(const Indices &indices) {
    DRI_Dap_dim dim{};
    dim.dist_type = 'u';
    dim.keys = DRI_DAP_SIZE | DRI_DAP_GRID_SIZE | DRI_DAP_GRID_RANK | DRI_DAP_INDICES;
    dim.size = 100;
    dim.proc_grid_size = 1;
    dim.indices = indices.data();
    dim.nindices = static_cast<int64_t>(indices.size());
    return dim;
}

// Each place gives its index, each index its place, and nothing else has one.
void expect_held(const DRI_Dap_dim &dim, const Indices &held, int64_t owned) {
    int64_t n = -1;
    ASSERT_EQ(DRI_dap_owned(&dim, &n), DRI_SUCCESS) << DRI_error_message();
    EXPECT_EQ(n, owned);
    int64_t got = -1;
    for (size_t place = 0; place < held.size(); ++place) {
        ASSERT_EQ(DRI_dap_global_index(&dim, static_cast<int64_t>(place), &got), DRI_SUCCESS)
            << DRI_error_message();
        EXPECT_EQ(got, held[place]);
        ASSERT_EQ(DRI_dap_local_index(&dim, held[place], &got), DRI_SUCCESS) << DRI_error_message();
        EXPECT_EQ(got, static_cast<int64_t>(place));
    }
    EXPECT_EQ(DRI_dap_global_index(&dim, -1, &got), DRI_ERR_ARG);
    EXPECT_EQ(DRI_dap_global_index(&dim, static_cast<int64_t>(held.size()), &got), DRI_ERR_ARG);
    for (int64_t index = -3; index < dim.size + 3; ++index) {
        const bool is_held = std::find(held.begin(), held.end(), index) != held.end();
        EXPECT_EQ(DRI_dap_local_index(&dim, index, &got), is_held ? DRI_SUCCESS : DRI_ERR_ARG) << index;
    }
}

TEST(DapMaps, CyclicDimensionsAreThoseOfAWalk) {
    Dice dice(1);
    for (int round = 0; round < 300; ++round) {
        const int64_t size = dice.range(0, 40), per_block = dice.range(1, 6);
        const auto grid = static_cast<int>(dice.range(1, 5));
        for (int rank = 0; rank < grid; ++rank) {
            Indices held;
            for (int64_t i = 0; i < size; ++i)
                if (i / per_block % grid == rank)
                    held.push_back(i);
            expect_held(cyclic(size, grid, rank, per_block), held, static_cast<int64_t>(held.size()));
        }
    }
}

TEST(DapMaps, PlacesOfBlocksCountPadding) {
    expect_held(block(20, 3, 9, 2, 1), {3, 4, 5, 6, 7, 8}, 3);
    expect_held(block(20, 3, 3, 0, 0), {}, 0);
    DRI_Dap_dim first = block(20, 0, 6, 2, 1);
    first.proc_grid_rank = 0;
    expect_held(first, {0, 1, 2, 3, 4, 5}, 5);
    first.proc_grid_size = 1;
    expect_held(first, {0, 1, 2, 3, 4, 5}, 6);
    first.keys &= ~uint32_t{DRI_DAP_PADDING};
    first.proc_grid_rank = 0;
    expect_held(first, {0, 1, 2, 3, 4, 5}, 6);
}

TEST(DapMaps, ListsKeepTheirOrder) {
    const Indices indices{19, 1, -5, 12, 1000};
    const DRI_Dap_dim dim = unstructured(indices);
    int64_t got = -1;
    for (size_t i = 0; i < indices.size(); ++i) {
        EXPECT_EQ(DRI_dap_local_index(&dim, indices[i], &got), DRI_SUCCESS);
        EXPECT_EQ(got, static_cast<int64_t>(i));
        EXPECT_EQ(DRI_dap_global_index(&dim, got, &got), DRI_SUCCESS);
        EXPECT_EQ(got, indices[i]);
    }
    EXPECT_EQ(DRI_dap_local_index(&dim, 0, &got), DRI_ERR_ARG);
    EXPECT_EQ(DRI_dap_global_index(&dim, 5, &got), DRI_ERR_ARG);
}

TEST(DapMaps, LargestNumbersDoNotOverflow) {
    const int64_t largest = std::numeric_limits<int64_t>::max();
    DRI_Dap_dim dim = cyclic(largest, 2'000'000'000, 1, largest / 2);
    int64_t got = -1;
    EXPECT_EQ(DRI_dap_owned(&dim, &got), DRI_SUCCESS) << DRI_error_message();
    EXPECT_EQ(got, largest / 2);
    EXPECT_EQ(DRI_dap_local_index(&dim, largest - 2, &got), DRI_SUCCESS) << DRI_error_message();
    EXPECT_EQ(got, largest / 2 - 1);
    dim = block(largest, largest, largest, largest, largest);
    EXPECT_EQ(DRI_dap_validate_dim(&dim, 0, -1, nullptr), DRI_ERR_ARG);
}

TEST(DapMaps, RefuseWhatIsNotThere) {
    int64_t got = 0;
    const DRI_Dap_dim empty{}, dim = cyclic(5, 2, 0, 1);
    EXPECT_EQ(DRI_dap_owned(&empty, &got), DRI_ERR_ARG);
    EXPECT_NE(std::string(DRI_error_message()).find("empty dimension {}"), std::string::npos);
    EXPECT_EQ(DRI_dap_owned(nullptr, &got), DRI_ERR_ARG);
    EXPECT_EQ(DRI_dap_owned(&dim, nullptr), DRI_ERR_ARG);
    EXPECT_EQ(DRI_dap_local_index(&dim, 0, nullptr), DRI_ERR_ARG);
    EXPECT_EQ(DRI_dap_global_index(&dim, 0, nullptr), DRI_ERR_ARG);
    EXPECT_EQ(DRI_dap_local_index(&dim, 1, &got), DRI_ERR_ARG);
    EXPECT_NE(std::string(DRI_error_message()).find("DRI_dap_local_index: the process does not hold index 1"),
              std::string::npos)
        << DRI_error_message();
}

} // namespace
} // namespace dri::test
