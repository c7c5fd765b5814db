// Corner turns between orders of dimensions, and between cuts.
#include "support/library.hpp"
#include "support/transfer_run.hpp"
#include "support/world.hpp"

#include <algorithm>

namespace dri_test {
namespace {

const Lay row_major, col_major{{1, 0}};

TEST(CornerTurn, RowsToColumns) {
    for (const Numbers &sizes : {Numbers{13, 9}, Numbers{64, 32}, Numbers{1, 7}, Numbers{7, 1}})
        for (const Lay &from : {row_major, col_major})
            for (const Lay &to : {row_major, col_major})
                expect_transfer({sizes, {{blocks, whole}, {}, from}, {{whole, blocks}, {}, to}});
}

TEST(CornerTurn, LargerThanATile) {
    const Element complex_float{8, 4, DRI_COMPLEX_FLOAT};
    expect_transfer({{300, 517}, {{blocks, whole}}, {{whole, blocks}, {}, col_major}, complex_float});
    expect_transfer({{517, 300}, {{blocks, whole}, {}, col_major}, {{whole, blocks}}, float_element});
}

TEST(CornerTurn, SamePartitionMovesNothingBetweenProcesses) {
    Case c{{10, 6}, {{blocks, whole}}, {{blocks, whole}, {}, col_major}};
    expect_transfer(c);
    TransferRun run("stay", c);
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
    std::vector<int> from{0, 1, 2};
    do {
        std::vector<int> to{0, 1, 2};
        do {
            Case c{{5, 6, 7}, {{blocks, whole, whole}, {}, {from}}, {{whole, whole, blocks}, {}, {to}}};
            c.frames = 1;
            expect_transfer(c);
        } while (std::next_permutation(to.begin(), to.end()));
    } while (std::next_permutation(from.begin(), from.end()));
}

TEST(CornerTurn, PencilsOfThreeDimensions) {
    expect_transfer({{6, 8, 9}, {{blocks, blocks, whole}}, {{whole, blocks, blocks}, {}, {{2, 0, 1}}}});
    expect_transfer({{6, 8, 9}, {{whole, blocks, blocks}}, {{blocks, whole, blocks}, {}, {{1, 2, 0}}}});
}

TEST(CornerTurn, BlockCyclicToBlockCyclic) {
    const int n = world().size;
    const auto cut = [n](int64_t block) { return Cut{DRI_BLOCK_CYCLIC, n, DRI_BALANCED, block}; };
    for (int64_t from : {1, 2, 3, 5})
        for (int64_t to : {1, 2, 4, 7}) {
            expect_transfer({{41}, {{cut(from)}}, {{cut(to)}}});
            expect_transfer({{23, 19}, {{cut(from), whole}}, {{whole, cut(to)}, {}, col_major}});
        }
    expect_transfer({{30, 30}, {{cyclic3, whole}}, {{blocks, whole}}});
    expect_transfer({{30, 30}, {{blocks, whole}}, {{whole, cyclic3}}});
}

TEST(CornerTurn, EveryRemainder) {
    for (DRI_Remainder from : {DRI_BALANCED, DRI_BALANCED_LAST, DRI_CEIL, DRI_PROPORTIONAL})
        for (DRI_Remainder to : {DRI_BALANCED, DRI_BALANCED_LAST, DRI_CEIL, DRI_PROPORTIONAL})
            for (int64_t n : {1, 5, 11, 16})
                expect_transfer({{n, 10}, {{{DRI_BLOCK, 0, from}, whole}}, {{{DRI_BLOCK, 0, to}, whole}}});
}

TEST(CornerTurn, ExactSizes) {
    const int n = world().size;
    Numbers rising, lumped(static_cast<size_t>(n), 0);
    int64_t sum = 0;
    for (int64_t c = 0; c < n; ++c)
        sum += rising.emplace_back(c); // the first part is empty
    lumped[static_cast<size_t>(n / 2)] = sum;
    const Cut grow{DRI_SIZES, n, DRI_BALANCED, 0, rising}, lump{DRI_SIZES, n, DRI_BALANCED, 0, lumped};
    expect_transfer({{sum, 4}, {{grow, whole}}, {{whole, blocks}}});
    expect_transfer({{sum, 4}, {{lump, whole}}, {{grow, whole}, {}, col_major}});
    expect_transfer({{sum, 4}, {{grow, whole}}, {{lump, whole}}});
}

TEST(CornerTurn, MoreProcessesThanRowsAndEmptyArrays) {
    expect_transfer({{2, 3}, {{blocks, whole}}, {{whole, blocks}}});
    expect_transfer({{1, 1}, {{blocks, whole}}, {{whole, blocks}, {}, col_major}});
    expect_transfer({{0, 5}, {{blocks, whole}}, {{whole, blocks}}});
    expect_transfer({{5, 0, 3}, {{blocks, whole, whole}}, {{whole, whole, blocks}}});
    expect_transfer({{0}, {{blocks}}, {{cyclic3}}});
}

TEST(CornerTurn, NoDimensionsAndEightDimensions) {
    expect_transfer({{}, {{}}, {{}}});
    const std::vector<Cut> first{blocks, whole, whole, whole, whole, whole, whole, whole};
    const std::vector<Cut> last{whole, whole, whole, whole, whole, whole, whole, cyclic3};
    expect_transfer({{3, 2, 3, 1, 2, 2, 3, 4}, {first}, {last, {}, {{7, 0, 6, 1, 5, 2, 4, 3}}}});
    const std::vector<Cut> middle{whole, whole, whole, blocks, blocks, whole, whole, whole};
    expect_transfer({{2, 2, 2, 3, 3, 2, 2, 2}, {middle, {}, {{4, 3, 2, 1, 0, 7, 6, 5}}}, {first}});
}

} // namespace
} // namespace dri_test
