// Slices of copies, compared with the copies that they are cut from: every number is followed.
#include "plan/slices.hpp"

#include "support/dice.hpp"
#include "support/plain_runs.hpp"
#include "support/sanitizer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace dri::test {

namespace {

// Pairs of destination and source offset, of bytes or of converted numbers.
using Moves = std::vector<std::pair<int64_t, int64_t>>;

void add_moves(const plan::StridedCopy &copy, Moves &out) {
    const ScalarSizes sizes(copy.conversion);
    auto add = [&](int64_t src, int64_t dst, int64_t n) {
        ASSERT_EQ(n % sizes.from, 0) << plan::to_text(copy) << " splits a number";
        for (int64_t i = 0; i < n / sizes.from; ++i)
            out.emplace_back(dst + i * sizes.to, src + i * sizes.from);
    };
    if (copy.run_bytes > 0)
        for_each_run(copy, 0, copy.src_offset, copy.dst_offset, add);
}

Moves moves(const std::vector<plan::StridedCopy> &copies) {
    Moves out;
    for (const plan::StridedCopy &copy : copies)
        add_moves(copy, out);
    std::sort(out.begin(), out.end());
    return out;
}

std::vector<plan::StridedCopy> joined(const std::vector<std::vector<plan::StridedCopy>> &lists) {
    std::vector<plan::StridedCopy> out;
    for (const auto &list : lists)
        out.insert(out.end(), list.begin(), list.end());
    return out;
}

int64_t bytes_of(const std::vector<plan::StridedCopy> &copies) {
    int64_t bytes = 0;
    for (const plan::StridedCopy &copy : copies)
        bytes += plan::copy_bytes(copy);
    return bytes;
}

std::string text_of(const std::vector<plan::StridedCopy> &copies) {
    std::string text;
    for (const plan::StridedCopy &copy : copies)
        text += plan::to_text(copy) + "\n";
    return text;
}

// The cache lines of the destination that a copy writes, if the buffer starts with a line.
std::set<int64_t> lines_of(const plan::StridedCopy &copy) {
    std::set<int64_t> lines;
    for (const auto &[dst, src] : moves({copy}))
        lines.insert(dst / 64);
    return lines;
}

std::vector<plan::StridedCopy> expect_cut(const plan::StridedCopy &any, int64_t parts) {
    const plan::StridedCopy copy = plan::canonical(any);
    SCOPED_TRACE(fmt::format("{} in {}", plan::to_text(copy), parts));
    auto pieces = plan::cut(copy, parts);
    EXPECT_LE(std::ssize(pieces), parts);
    EXPECT_TRUE(moves(pieces) == moves({copy})) << text_of(pieces);
    for (const plan::StridedCopy &piece : pieces) {
        EXPECT_EQ(piece, plan::canonical(piece));
        EXPECT_GT(plan::copy_bytes(piece), 0);
    }
    return pieces;
}

// The bytes of the largest piece, divided by those of an even piece.
double unevenness(const std::vector<plan::StridedCopy> &pieces, int64_t parts) {
    int64_t max = 0;
    for (const plan::StridedCopy &piece : pieces)
        max = std::max(max, plan::copy_bytes(piece));
    return static_cast<double>(max * parts) / static_cast<double>(bytes_of(pieces));
}

void expect_no_common_lines(const std::vector<plan::StridedCopy> &pieces) {
    std::set<int64_t> seen;
    for (const plan::StridedCopy &piece : pieces)
        for (const int64_t line : lines_of(piece))
            EXPECT_TRUE(seen.insert(line).second) << "line " << line << " of " << plan::to_text(piece);
}

plan::StridedCopy any_copy(Dice &dice) {
    plan::StridedCopy copy;
    const bool converts = dice.chance(25);
    if (converts)
        copy.conversion = {Scalar::int16, Scalar::float32, 1};
    copy.run_bytes = converts ? 2 * dice.range(1, 300) : dice.one_of<int64_t>({1, 4, 8, 24, 64, 300, 2000});
    int64_t src = copy.run_bytes, dst = plan::dst_run_bytes(copy);
    std::vector<int64_t> counts;
    for (int64_t i = dice.range(0, 3); i > 0; --i)
        counts.push_back(dice.range(1, dice.chance(30) ? 70 : 6));
    for (const int64_t count : counts) {
        copy.loops.push_back({count, 0, dst});
        dst *= count;
    }
    for (size_t i = counts.size(); i-- > 0; src *= counts[i]) // in reverse order
        copy.loops[i].src_stride = src;
    for (plan::Loop &loop : copy.loops)
        if (dice.chance(10))
            loop.src_stride = dice.chance(50) ? 0 : -loop.src_stride;
    for (int64_t t = dice.chance(40) ? dice.range(1, 2) : 0; t > 0; --t) {
        plan::Entries::List entries;
        const int64_t src_step = src, dst_step = dst;
        src = dst = 0;
        for (int64_t e = dice.range(2, dice.chance(20) ? 120 : 8); e > 0; --e) {
            const int64_t count = dice.range(1, 4);
            entries.push_back({src, dst, count});
            src += src_step * (count + dice.range(0, 2)), dst += dst_step * (count + dice.range(0, 1));
        }
        copy.tables.push_back({src_step, dst_step, entries});
    }
    return copy;
}

plan::StridedCopy random_copy(Dice &dice) {
    plan::StridedCopy copy;
    do
        copy = any_copy(dice);
    while (plan::copy_bytes(copy) > 60000);
    return copy;
}

} // namespace

TEST(Slices, OfACornerTurnAreWholeColumns) {
    const plan::StridedCopy turn{8, 0, 0, {{200, 8, 8 * 90}, {90, 8 * 200, 8}}};
    for (const int64_t parts : {2, 3, 5}) {
        const auto pieces = expect_cut(turn, parts);
        EXPECT_EQ(std::ssize(pieces), parts);
        EXPECT_LE(unevenness(pieces, parts), 1.1);
        for (const plan::StridedCopy &piece : pieces)
            EXPECT_EQ(piece.loops.back().count, 90) << plan::to_text(piece);
        if (parts <= 3) // otherwise there are too few cache lines in the destination
            expect_no_common_lines(pieces);
    }
}

TEST(Slices, OfARunAreWholeLines) {
    const auto pieces = expect_cut({100003, 7, 0, {}}, 3);
    EXPECT_EQ(pieces.size(), 3u);
    EXPECT_LE(unevenness(pieces, 3), 1.01);
    expect_no_common_lines(pieces);
    const plan::StridedCopy numbers{2 * 5003, 0, 0, {}, {}, {Scalar::int16, Scalar::float64, 3}};
    expect_no_common_lines(expect_cut(numbers, 4));
}

// A few long runs are cut one by one. Many runs stay whole.
TEST(Slices, OfRunsSuitTheirNumber) {
    for (const plan::StridedCopy &piece : expect_cut({20000, 0, 0, {{3, 50000, 30016}}}, 2))
        EXPECT_EQ(piece.loops.size(), 1u) << plan::to_text(piece);
    for (const plan::StridedCopy &piece : expect_cut({640, 0, 0, {{40, 5000, 704}}}, 2))
        EXPECT_EQ(piece.run_bytes, 640) << plan::to_text(piece);
}

// A slice that separates real and imaginary parts is no longer a copy of complex numbers.
TEST(Slices, KeepComplexNumbersWhole) {
    const plan::StridedCopy splits{4, 0, 0, {{2, 4, 4 * 6400}, {80, 8, 4 * 80}, {80, 8 * 80, 4}}};
    for (const plan::StridedCopy &piece : expect_cut(splits, 2))
        EXPECT_EQ(piece.loops[0].count, 2) << plan::to_text(piece);
}

TEST(Slices, OfTables) {
    plan::Entries::List entries;
    int64_t src = 0, dst = 0;
    for (int64_t i = 0; i < 100; ++i) {
        const int64_t count = i < 10 ? 40 : 1 + i % 3;
        entries.push_back({src, dst, count});
        src += 64 * (count + 1), dst += 64 * count;
    }
    const auto pieces = expect_cut({64, 0, 0, {}, {{64, 64, entries}}}, 2);
    EXPECT_EQ(pieces.size(), 2u);
    EXPECT_LE(unevenness(pieces, 2), 1.15) << "the steps count, not the entries";
}

TEST(Slices, OfEmptyAndOfSmallCopies) {
    EXPECT_TRUE(plan::cut({}, 4).empty());
    EXPECT_EQ(expect_cut({63, 0, 0, {}}, 2).size(), 1u);
    EXPECT_EQ(expect_cut({1, 0, 0, {{3, 5, 9}}}, 7).size(), 3u);
    EXPECT_EQ(plan::deal(std::vector<plan::StridedCopy>{}, 3).size(), 3u);
}

TEST(Slices, OfRandomCopies) {
    Dice dice(11);
    const int copies = rounds(300);
    int many = 0;
    for (int i = 0; i < copies; ++i) {
        const plan::StridedCopy copy = random_copy(dice);
        const int64_t parts = dice.range(1, 5);
        many += std::ssize(expect_cut(copy, parts)) == parts;
    }
    EXPECT_GT(many, copies * 2 / 3);
}

TEST(Slices, OfListsAreEven) {
    Dice dice(12);
    for (int i = 0; i < rounds(40); ++i) {
        std::vector<plan::StridedCopy> list;
        int64_t at = 0;
        for (int64_t k = dice.range(0, 12); k > 0; --k) {
            plan::StridedCopy copy = plan::canonical(random_copy(dice));
            copy.dst_offset += at;
            at += int64_t{1} << 40; // far apart
            list.push_back(copy);
        }
        const int64_t threads = dice.range(1, 4);
        const auto lists = plan::deal(list, threads);
        ASSERT_EQ(std::ssize(lists), threads);
        EXPECT_TRUE(moves(joined(lists)) == moves(list));
        int64_t largest = 0;
        for (const plan::StridedCopy &piece : joined(lists))
            largest = std::max(largest, plan::copy_bytes(piece));
        for (const auto &share : lists)
            EXPECT_LE(bytes_of(share), bytes_of(list) / threads + largest) << text_of(share);
    }
}

// Each piece of each tile is in exactly one slice. Tiles without scratch memory may be cut.
TEST(Slices, OfTiles) {
    const plan::StridedCopy turn{8, 160, 24, {{700, 8, 2400}, {300, 8000, 8}}},
        runs{70000, 0, 64, {{5, 90000, 70016}}}, both[]{turn, runs};
    for (const int64_t threads : {1, 2, 3}) {
        std::vector<plan::TiledCopy> tiled;
        for (const plan::StridedCopy &copy : both)
            tiled.push_back(*plan::tile(plan::canonical(copy)));
        std::multiset<std::pair<int64_t, int64_t>> tiles, found;
        for (const plan::TiledCopy::Tile &t : tiled[0].tiles)
            tiles.insert({t.src_offset, t.dst_offset});
        const auto lists = plan::deal(tiled, threads);
        ASSERT_EQ(std::ssize(lists), threads);
        std::vector<plan::StridedCopy> straight;
        for (const auto &list : lists) {
            int64_t bytes = 0;
            for (const plan::TiledCopy &copy : list) {
                int64_t pieces = copy.piece_bytes;
                for (const plan::Loop &l : copy.pieces)
                    pieces *= l.count;
                bytes += pieces * std::ssize(copy.tiles);
                for (const plan::TiledCopy::Tile &t : copy.tiles) {
                    if (copy.straight)
                        straight.push_back({copy.piece_bytes, t.src_offset, t.dst_offset, copy.pieces});
                    else
                        found.insert({t.src_offset, t.dst_offset});
                }
            }
            EXPECT_LE(bytes, (bytes_of({turn}) + bytes_of({runs})) / threads + 2 * plan::tile_bytes);
        }
        EXPECT_EQ(found, tiles);
        EXPECT_TRUE(moves(straight) == moves({runs}));
    }
}

} // namespace dri::test
