// Corner turns between orders of dimensions, and between cuts.
#include "support/library.hpp"
#include "support/transfer_run.hpp"
#include "support/world.hpp"

#include <algorithm>

namespace dri::test {
namespace {

TEST(CornerTurn, RowsToColumns) {
    for (const char *sizes : {"[13,9]", "[64,32]", "[1,7]", "[7,1]"})
        for (const char *from : {"rm", "cm"})
            for (const char *to : {"rm", "cm"})
                expect_transfer(fmt::format("float {} block,* {} -> *,block {} direct", sizes, from, to));
}

TEST(CornerTurn, LargerThanATile) {
    expect_transfer("complex-float [300,517] block,* rm -> *,block 10 direct");
    expect_transfer("float [517,300] block,* 10 -> *,block rm direct");
}

TEST(CornerTurn, SamePartitionMovesNothingBetweenProcesses) {
    const std::string line = "float [10,6] block,* rm -> block,* 10 direct";
    expect_transfer(line);
    TransferRun run("stay", line);
    run.declare();
    commit(make_world());
    run.bind();
    run.frame();
    DRI_Xfer_info info;
    expect_success(DRI_xfer_get_info(run.sink(), &info), "DRI_xfer_get_info");
    EXPECT_EQ(info.bytes_message, 0);
    EXPECT_EQ(info.bytes_direct, 0);
    EXPECT_EQ(info.messages, 0);
    EXPECT_EQ(info.peers, 0);
}

TEST(CornerTurn, AllOrdersOfThreeDimensions) {
    std::string from = "012", to = from;
    do
        do
            expect_transfer(fmt::format("float [5,6,7] block,*,* {} -> *,*,block {} direct frames=1", from, to));
        while (std::next_permutation(to.begin(), to.end()));
    while (std::next_permutation(from.begin(), from.end()));
}

TEST(CornerTurn, PencilsOfThreeDimensions) {
    expect_transfer("float [6,8,9] block,block,* rm -> *,block,block 201 direct");
    expect_transfer("float [6,8,9] *,block,block rm -> block,*,block 120 direct");
}

TEST(CornerTurn, BlockCyclicToBlockCyclic) {
    const int n = world().size;
    for (int from : {1, 2, 3, 5})
        for (int to : {1, 2, 4, 7}) {
            expect_transfer(
                fmt::format("float [41] cyclic({0},{1}) rm -> cyclic({0},{2}) rm direct", n, from, to));
            expect_transfer(
                fmt::format("float [23,19] cyclic({0},{1}),* rm -> *,cyclic({0},{2}) 10 direct", n, from, to));
        }
    expect_transfer("float [30,30] cyclic(0,3),* rm -> block,* rm direct");
    expect_transfer("float [30,30] block,* rm -> *,cyclic(0,3) rm direct");
}

TEST(CornerTurn, EveryRemainder) {
    for (const char *from : {"", "(0,last)", "(0,ceil)", "(0,prop)"})
        for (const char *to : {"", "(0,last)", "(0,ceil)", "(0,prop)"})
            for (int n : {1, 5, 11, 16})
                expect_transfer(fmt::format("float [{},10] block{},* rm -> block{},* rm direct", n, from, to));
}

TEST(CornerTurn, ExactSizes) {
    const int n = world().size;
    std::vector<int> rising, lumped(static_cast<size_t>(n), 0);
    for (int c = 0; c < n; ++c) {
        rising.push_back(c); // the first part is empty
        lumped[static_cast<size_t>(n / 2)] += c;
    }
    const int sum = lumped[static_cast<size_t>(n / 2)];
    const std::string grow = fmt::format("sizes({})", fmt::join(rising, ":")),
                      lump = fmt::format("sizes({})", fmt::join(lumped, ":"));
    expect_transfer(fmt::format("float [{},4] {},* rm -> *,block rm direct", sum, grow));
    expect_transfer(fmt::format("float [{},4] {},* rm -> {},* 10 direct", sum, lump, grow));
    expect_transfer(fmt::format("float [{},4] {},* rm -> {},* rm direct", sum, grow, lump));
}

TEST(CornerTurn, MoreProcessesThanRowsAndEmptyArrays) {
    expect_transfer("float [2,3] block,* rm -> *,block rm direct");
    expect_transfer("float [1,1] block,* rm -> *,block 10 direct");
    expect_transfer("float [0,5] block,* rm -> *,block rm direct");
    expect_transfer("float [5,0,3] block,*,* rm -> *,*,block rm direct");
    expect_transfer("float [0] block rm -> cyclic(0,3) rm direct");
}

TEST(CornerTurn, NoDimensionsAndEightDimensions) {
    expect_transfer("float [] - rm over all -> - rm over all direct");
    expect_transfer("float [3,2,3,1,2,2,3,4] block,*,*,*,*,*,*,* rm -> *,*,*,*,*,*,*,cyclic(0,3) 70615243 direct");
    expect_transfer("float [2,2,2,3,3,2,2,2] *,*,*,block,block,*,*,* 43210765 -> block,*,*,*,*,*,*,* rm direct");
}

} // namespace
} // namespace dri::test
