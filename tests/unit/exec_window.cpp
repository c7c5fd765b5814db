// Offsets of windows: where the array ends, and processes that disagree.
#include "base/error.hpp"
#include "exec/offset_consensus.hpp"
#include "exec/window.hpp"

#include <gtest/gtest.h>

#include <array>

namespace dri::test {
namespace {

// A window that slides along the first and the last of three dimensions.
const exec::Window sliding{
    .lowest = {-2, 0, 0}, .highest = {3, 0, 5}, .step_bytes = {240, 24, 4}, .first_byte = 480, .bytes = 100};

std::string offset_refusal(const std::array<int64_t, 3> &offset) {
    try {
        sliding.at(offset);
    } catch (const Error &error) {
        EXPECT_EQ(error.code(), DRI_ERR_ARG);
        return error.what();
    }
    return "none";
}

TEST(WindowOffset, CountsBytesFromThePositionAtTheCommit) {
    EXPECT_EQ(sliding.at_rest().bytes, 0);
    EXPECT_EQ(sliding.at_rest().offset, (Dims{0, 0, 0}));
    const exec::WindowOffset back = sliding.at(std::array<int64_t, 3>{-2, 0, 5});
    EXPECT_EQ(back.bytes, -2 * 240 + 5 * 4);
    EXPECT_EQ(back.offset, (Dims{-2, 0, 5}));
    EXPECT_EQ(sliding.at(std::array<int64_t, 3>{3, 0, 0}).bytes, 3 * 240);
}

TEST(WindowOffset, OutsideTheArrayIsRefused) {
    EXPECT_EQ(offset_refusal({0, 0, 5}), "none");
    EXPECT_EQ(offset_refusal({-3, 0, 0}),
              "offset[0] is -3, but along dimension 0 the window is inside the array from -2 to 3");
    EXPECT_EQ(offset_refusal({3, 0, 6}),
              "offset[2] is 6, but along dimension 2 the window is inside the array from 0 to 5");
    EXPECT_EQ(offset_refusal({0, 1, 0}), "offset[1] is 1, but the window does not slide along dimension 1");
    EXPECT_EQ(exec::offset_text({-2, 0, 5}), "[-2,0,5]");
}

TEST(OffsetConsensus, NamesTheFirstTwoProcessesThatDiffer) {
    exec::OffsetConsensus consensus;
    consensus.begin();
    for (const int peer : {4, 1, 7})
        consensus.observe(peer, {5, 0});
    EXPECT_FALSE(consensus.mismatch());
    consensus.observe(2, {6, 0});
    consensus.observe(3, {7, 0});
    ASSERT_TRUE(consensus.mismatch());
    EXPECT_EQ(consensus.mismatch()->first, 4);
    EXPECT_EQ(consensus.mismatch()->second, 2);
    EXPECT_EQ(consensus.mismatch()->first_offset, (Dims{5, 0}));
    EXPECT_EQ(consensus.mismatch()->second_offset, (Dims{6, 0}));
    consensus.begin(); // the next frame
    consensus.observe(3, {7, 0});
    EXPECT_FALSE(consensus.mismatch());
}

} // namespace
} // namespace dri::test
