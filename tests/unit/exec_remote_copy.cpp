// Copies from memory of another process, here of this process itself: tiles through scratch memory, and long runs.
#include "exec/team_copies.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <numeric>

namespace dri::test {
namespace {

constexpr int64_t array_rows = 37, array_columns = 1500;

std::vector<int64_t> array_numbers() {
    std::vector<int64_t> from(array_rows * array_columns);
    std::iota(from.begin(), from.end(), 0);
    return from;
}

// Copies by a team of so many threads; the scratch memory is exactly as long as promised, and guarded.
std::vector<int64_t> pull_copy(const plan::StridedCopy &copy, int64_t threads) {
    exec::WorkerPool pool;
    const exec::Team team{pool.get(threads, false), threads, 1};
    const std::vector<int64_t> from = array_numbers();
    std::vector<int64_t> to(from.size(), -1);
    auto *const dst = reinterpret_cast<std::byte *>(to.data());
    const exec::TeamRemoteCopies copies({copy}, team, kernel::best_isa(), plan::copy_bytes(copy), dst);
    const int64_t bytes = copies.scratch_bytes();
    EXPECT_EQ(bytes, exec::remote_scratch_bytes({copy}, threads, team.min_bytes));
    std::vector<std::byte> scratch(static_cast<size_t>(bytes) + 64, std::byte{0x55});
    copies.run(getpid(), reinterpret_cast<uint64_t>(from.data()), dst, scratch.data());
    EXPECT_TRUE(
        std::all_of(scratch.begin() + bytes, scratch.end(), [](std::byte b) { return b == std::byte{0x55}; }));
    return to;
}

} // namespace

// Long rows are read and written as columns.
TEST(RemoteCopy, TurnsThroughScratchMemory) {
    const plan::StridedCopy turn{
        8, 0, 0, {{array_rows, 8 * array_columns, 8}, {array_columns, 8, 8 * array_rows}}};
    ASSERT_TRUE(plan::reads_in_long_pieces({turn}));
    for (const int64_t threads : {1, 2, 3}) {
        const std::vector<int64_t> to = pull_copy(turn, threads);
        for (int64_t i = 0; i < array_rows; ++i)
            for (int64_t j = 0; j < array_columns; ++j)
                ASSERT_EQ(to[static_cast<size_t>(j * array_rows + i)], i * array_columns + j)
                    << threads << " threads";
    }
}

// Every other row is read to its place, without scratch memory.
TEST(RemoteCopy, ReadsLongRunsDirectly) {
    const plan::StridedCopy runs{
        8 * array_columns, 0, 0, {{(array_rows + 1) / 2, 16 * array_columns, 8 * array_columns}}};
    ASSERT_TRUE(plan::reads_in_long_pieces({runs}));
    for (const int64_t threads : {1, 2}) {
        const std::vector<int64_t> to = pull_copy(runs, threads);
        for (int64_t k = 0; k < array_rows * array_columns; ++k)
            ASSERT_EQ(to[static_cast<size_t>(k)], k / array_columns <= array_rows / 2
                                                      ? k / array_columns * 2 * array_columns + k % array_columns
                                                      : -1)
                << k;
    }
}

TEST(RemoteCopy, WithoutCopiesDoesNothing) {
    const exec::TeamRemoteCopies none({}, {}, kernel::best_isa(), 0, nullptr);
    EXPECT_EQ(none.scratch_bytes(), 0);
    none.run(getpid(), 0, nullptr, nullptr);
}

} // namespace dri::test
