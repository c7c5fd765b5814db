// Tiles, compared with the copy that they are cut from: memcpy reads their pieces, and every byte is checked.
#include "base/memory.hpp"
#include "plan/tiles.hpp"

#include "support/dice.hpp"
#include "support/oracle_run.hpp"
#include "support/sanitizer.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace dri::test {

namespace {

int64_t end_of(const plan::StridedCopy &copy, bool source) {
    int64_t end = source ? copy.src_offset + copy.run_bytes : copy.dst_offset + plan::dst_run_bytes(copy);
    for (const plan::Loop &loop : copy.loops)
        end += (loop.count - 1) * (source ? loop.src_stride : loop.dst_stride);
    return end;
}

std::vector<std::byte> pattern(int64_t bytes) {
    std::vector<std::byte> memory(static_cast<size_t>(bytes));
    for (size_t i = 0; i < memory.size(); ++i)
        memory[i] = static_cast<std::byte>(i * 37 + i / 251);
    return memory;
}

// Runs the tiles, and counts the pieces and their bytes.
struct Read {
    int64_t pieces = 0, bytes = 0;
};
Read run(const plan::TiledCopy &tiled, const std::vector<std::byte> &src, std::byte *dst) {
    std::vector<std::byte> scratch(static_cast<size_t>(tiled.scratch_bytes));
    Read read;
    for (const plan::TiledCopy::Tile &tile : tiled.tiles) {
        std::fill(scratch.begin(), scratch.end(), std::byte{0xAA});
        plan::Loops pieces = tiled.pieces;
        if (tile.is_rest)
            pieces[0].count = tiled.rest_count;
        dri::plan::for_each_step(
            {pieces.data(), pieces.size()}, tile.src_offset, 0, [&](int64_t from, int64_t at) {
                ASSERT_LE(from + tiled.piece_bytes, std::ssize(src));
                if (!tiled.straight) {
                    ASSERT_LE(at + tiled.piece_bytes, tiled.scratch_bytes);
                }
                std::byte *const to = tiled.straight ? dst + tile.dst_offset + at : scratch.data() + at;
                std::memcpy(to, src.data() + from, static_cast<size_t>(tiled.piece_bytes));
                ++read.pieces;
                read.bytes += tiled.piece_bytes;
            });
        if (!tiled.straight)
            copy_plainly(tile.is_rest ? tiled.rest : tiled.whole, scratch.data(), dst + tile.dst_offset);
    }
    return read;
}

// Returns false if the copy has no tiles.
bool check(const plan::StridedCopy &any) {
    const plan::StridedCopy copy = plan::canonical(any);
    SCOPED_TRACE(plan::to_text(copy));
    const auto tiled = plan::tile(copy);
    EXPECT_EQ(tiled.has_value(), plan::reads_in_long_pieces({copy}));
    if (!tiled)
        return false;
    EXPECT_LE(tiled->scratch_bytes, plan::max_tile_bytes);
    EXPECT_GE(tiled->piece_bytes, plan::long_piece_bytes);
    const auto src = pattern(end_of(copy, true));
    std::vector<std::byte> expected(static_cast<size_t>(end_of(copy, false)), std::byte{0x55}), found = expected;
    copy_plainly(copy, src.data(), expected.data());
    const Read read = run(*tiled, src, found.data());
    EXPECT_TRUE(found == expected);
    EXPECT_LE(read.bytes, 2 * plan::copy_bytes(copy)) << "at least half of the bytes read are needed";
    return true;
}

} // namespace

TEST(Tiles, OfACornerTurn) {
    // 300 rows of 700 columns out of 1000 become columns.
    EXPECT_TRUE(check({8, 160, 24, {{700, 8, 2400}, {300, 8000, 8}}}));
    EXPECT_TRUE(check({8, 0, 0, {{512, 8, 2400}, {1, 8000, 8}}})) << "one piece";
    EXPECT_TRUE(check({16, 0, 0, {{256, 16, 160}, {10, 4096, 16}}})) << "dense rows";
}

// Rows of 4 KB to 64 KB. No single row makes a tile of whole cache lines.
TEST(Tiles, OfACornerTurnWriteWholeCacheLines) {
    for (const int64_t element : {4, 8, 16})
        for (const int64_t row : {4096, 12000, 16384, 32768, 65536}) {
            const int64_t rows = 2 * 96 + 5;
            const plan::StridedCopy copy{
                element, 0, 0, {{row / element, element, 4096}, {rows, 2 * row, element}}};
            EXPECT_TRUE(check(copy));
            const auto tiled = plan::tile(plan::canonical(copy));
            ASSERT_TRUE(tiled);
            const int64_t down = tiled->pieces[0].count * element;
            if ((row + cache_line_bytes) * cache_line_bytes > plan::max_tile_bytes * element)
                continue; // the rows of a cache line exceed a tile
            EXPECT_EQ(down % cache_line_bytes, 0) << element << " " << row << ": " << down;
        }
}

// The two parts together are the copy, and the tiles of the second part start at cache lines.
TEST(Tiles, StartAtACacheLineIfTheCopyIsCut) {
    for (const int64_t past : {0, 8, 16, 56, 60}) {
        const plan::StridedCopy copy = plan::canonical({8, 16, 64, {{2048, 8, 4096}, {200, 16384, 8}}});
        const auto parts = plan::cut_at_line(copy, past);
        const bool cuts = past % 8 == 0 && past != 0;
        ASSERT_EQ(parts.size(), cuts ? 2u : 1u) << past;
        const auto src = pattern(end_of(copy, true));
        std::vector<std::byte> expected(static_cast<size_t>(end_of(copy, false)), std::byte{0x55}),
            found = expected;
        copy_plainly(copy, src.data(), expected.data());
        for (const plan::StridedCopy &part : parts)
            run(*plan::tile(part), src, found.data());
        EXPECT_TRUE(found == expected) << past;
        const auto last = plan::tile(parts.back());
        ASSERT_TRUE(last);
        for (const plan::TiledCopy::Tile &t : last->tiles)
            EXPECT_TRUE(!cuts || (past + t.dst_offset) % cache_line_bytes == 0) << past;
    }
}

TEST(Tiles, AreNotCutIfThatGainsNothing) {
    const auto whole = [](const plan::StridedCopy &copy) {
        return plan::cut_at_line(plan::canonical(copy), 16).size() == 1;
    };
    EXPECT_TRUE(whole({8, 0, 0, {{2048, 8, 4104}, {200, 16384, 8}}})) << "the pitch is not a multiple of a line";
    EXPECT_TRUE(whole({8192, 0, 0, {{5, 10000, 8192}}})) << "nothing is left to fill";
    EXPECT_TRUE(whole({8, 0, 0, {{2048, 8, 4096}, {6, 16384, 8}}})) << "no line is whole";
    EXPECT_TRUE(whole({8, 0, 0, {{100, 8, 4096}, {200, 16384, 8}}})) << "no long pieces";
    EXPECT_TRUE(whole({8, 0, 0, {{2048, 8, 4096}, {200, 16384, -8}}})) << "backwards";
}

TEST(Tiles, OfLongRunsAreReadIntoTheirFinalPositions) {
    const auto tiled = plan::tile(plan::canonical({8192, 0, 64, {{5, 10000, 9000}}}));
    ASSERT_TRUE(tiled);
    EXPECT_TRUE(tiled->straight);
    EXPECT_EQ(tiled->scratch_bytes, 0);
    EXPECT_TRUE(check({8192, 0, 64, {{5, 10000, 9000}}}));
    EXPECT_TRUE(check({8192, 0, 64, {{3, 40000, 9000}, {4, 10000, 30000}}}));
    EXPECT_TRUE(check({int64_t{3} << 20, 5, 7, {}})) << "longer than a tile";
}

TEST(Tiles, ThatConvert) {
    plan::StridedCopy copy{4 * 1200, 0, 0, {{20, 6000, 8 * 1200}}, {}, {Scalar::float32, Scalar::float64, 1}};
    EXPECT_TRUE(check(copy));
    copy.run_bytes = 4 << 20;
    copy.loops = {};
    EXPECT_FALSE(check(copy)) << "longer than a tile";
}

TEST(Tiles, AreNotUsedForShortOrSparsePieces) {
    EXPECT_FALSE(check({8, 0, 0, {{64, 8, 512}, {64, 2000, 8}}})) << "rows of 512 bytes";
    EXPECT_FALSE(check({8, 0, 0, {{5000, 24, 512}, {4, 200000, 8}}})) << "one in three";
    EXPECT_TRUE(check({8, 0, 0, {{5000, 16, 512}, {4, 200000, 8}}})) << "every other one";
    EXPECT_FALSE(plan::reads_in_long_pieces({{0, 0, 0, {}}}));
    EXPECT_TRUE(plan::reads_in_long_pieces({}));
    plan::StridedCopy listed{8, 0, 0, {{1000, 8, 8}}, {{0, 0, {{0, 0, 1}, {90000, 8000, 1}, {100000, 16000, 1}}}}};
    EXPECT_FALSE(plan::reads_in_long_pieces({listed}));
}

// Pads that repeat an element, loops in any order, and remainders along the loop that is cut.
TEST(Tiles, OfRandomCopies) {
    Dice dice(5);
    int tiled = 0;
    for (int i = 0; i < rounds(200); ++i) {
        plan::StridedCopy copy{dice.range(1, 3) * 8, dice.range(0, 9), dice.range(0, 9), {}};
        // The loops are nested on both sides, in a different order on each.
        const int64_t counts[]{dice.range(1, 1500), dice.range(1, 20), dice.range(1, 6)};
        int64_t src[3], dst[3], s = copy.run_bytes, d = copy.run_bytes;
        for (const int k : {0, 1, 2}) {
            src[k] = s + (dice.chance(30) ? 8 * dice.range(0, 5) : 0);
            s = src[k] * counts[k];
        }
        for (const int k : dice.chance(50) ? std::vector<int>{2, 1, 0} : std::vector<int>{1, 0, 2}) {
            dst[k] = d;
            d *= counts[k];
        }
        const bool repeats = dice.chance(20);
        for (const int k : {0, 1, 2})
            copy.loops.push_back({counts[k], repeats && k == 1 ? 0 : src[k], dst[k]});
        tiled += check(copy);
    }
    EXPECT_GT(tiled, rounds(200) / 4);
}

} // namespace dri::test
