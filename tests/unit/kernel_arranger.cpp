// Puts pieces of a buffer in order and back, and compares with a walk over every run.
#include "kernel/arranger.hpp"

#include "support/dice.hpp"
#include "support/sanitizer.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace dri::test {
namespace {

using Bytes = std::vector<std::byte>;

template <class F> void for_each_run(const plan::Piece &piece, size_t loop, int64_t at, const F &f) {
    if (loop == piece.loops.size())
        return f(at);
    for (int64_t i = 0; i < piece.loops[loop].count; ++i)
        for_each_run(piece, loop + 1, at + i * piece.loops[loop].stride, f);
}

// The bytes of a buffer in the order of a piece.
std::vector<size_t> walk(const plan::Piece &piece) {
    std::vector<size_t> bytes;
    for_each_run(piece, 0, piece.first, [&](int64_t at) {
        for (int64_t i = 0; i < piece.run_bytes; ++i)
            bytes.push_back(static_cast<size_t>(at + i));
    });
    return bytes;
}

struct Case {
    std::vector<plan::Piece> pieces;
    int64_t bytes = 0; // size of the buffer
};

// Random stretches that together are [0, n).
std::vector<std::pair<int64_t, int64_t>> cut(Dice &dice, int64_t n, int64_t max) {
    std::vector<std::pair<int64_t, int64_t>> parts;
    for (int64_t at = 0; at < n;) {
        const int64_t count = std::min(dice.range(1, max), n - at);
        parts.emplace_back(at, count);
        at += count;
    }
    return parts;
}

// Planes of rows of elements, each cut at random into boxes and into columns that are dealt cyclically.
Case random_case(Dice &dice) {
    const int64_t element = dice.range(1, 12), planes = dice.range(1, 4), rows = dice.range(1, 30);
    const int64_t columns = dice.range(1, 30), row = columns * element + (dice.chance(30) ? dice.range(0, 9) : 0);
    const int64_t plane = rows * row + (dice.chance(30) ? dice.range(0, 9) : 0);
    Case c{{}, planes * plane + dice.range(0, 20)};
    const auto add = [&](plan::Piece piece) {
        if (!dice.chance(5)) // some bytes belong to no piece
            c.pieces.push_back(std::move(piece));
    };
    for (const auto &[top, height] : cut(dice, rows, dice.range(1, rows))) {
        if (dice.chance(40)) {
            const int64_t parts = dice.range(1, columns), cycles = columns / parts;
            for (int64_t p = 0; p < parts; ++p)
                add({0,
                     top * row + p * element,
                     element,
                     {{planes, plane}, {height, row}, {cycles, parts * element}}});
            continue;
        }
        for (const auto &[left, width] : cut(dice, columns, dice.range(1, columns)))
            add({0, top * row + left * element, width * element, {{planes, plane}, {height, row}}});
    }
    for (size_t i = c.pieces.size(); i-- > 1;)
        std::swap(c.pieces[i], c.pieces[static_cast<size_t>(dice.range(0, static_cast<int64_t>(i)))]);
    int64_t offset = 0;
    for (plan::Piece &piece : c.pieces) {
        piece.offset = offset;
        offset += plan::piece_bytes(piece);
    }
    return c;
}

Bytes stamped(int64_t bytes, int64_t seed) {
    Bytes memory;
    for (int64_t i = 0; i < bytes; ++i)
        memory.push_back(static_cast<std::byte>((i * 131 + (i >> 8) * 17 + seed) & 255));
    return memory;
}

// The workspace that the interface promises, and a canary behind it.
struct Blocks {
    Bytes memory;
    Blocks(size_t pieces, int64_t block) : memory((pieces + 1) * static_cast<size_t>(block) + 1) {
        memory.back() = std::byte{77};
    }
    void check() const { EXPECT_EQ(memory.back(), std::byte{77}); }
};

// Random cases, two frames each. in_order: the step moves bytes from their runs into the order of the pieces;
// otherwise it moves them back.
void expect_arranged(uint64_t seed, void (kernel::Arranger::*step)(std::byte *, std::byte *), bool in_order) {
    Dice dice(seed);
    for (int i = 0; i < rounds(3000); ++i) {
        const Case c = random_case(dice);
        const int64_t block = dice.range(1, 200);
        kernel::Arranger arranger(c.pieces, block);
        Blocks blocks(c.pieces.size(), block);
        for (int frame = 0; frame < 2; ++frame) {
            const Bytes from = stamped(c.bytes, frame);
            Bytes to = from;
            (arranger.*step)(to.data(), blocks.memory.data());
            for (const plan::Piece &piece : c.pieces) {
                auto offset = static_cast<size_t>(piece.offset);
                for (const size_t in_runs : walk(piece)) {
                    ASSERT_EQ(to[in_order ? offset : in_runs], from[in_order ? in_runs : offset])
                        << "case " << i << ", blocks of " << block;
                    ++offset;
                }
            }
        }
        blocks.check();
    }
}

TEST(Arranging, gathered_bytes_have_the_order_of_their_pieces) {
    expect_arranged(7, &kernel::Arranger::gather, true);
}

TEST(Arranging, scattered_bytes_arrive_at_their_runs) { expect_arranged(8, &kernel::Arranger::scatter, false); }

TEST(Arranging, blocks_are_as_large_as_the_limit_allows) {
    Dice dice(9);
    for (int i = 0; i < rounds(2000); ++i) {
        const std::vector<plan::Piece> before = random_case(dice).pieces, after = random_case(dice).pieces;
        const int64_t max = dice.range(0, 100'000), block = plan::arranging_block(before, after, max);
        EXPECT_GE(block, before.empty() && after.empty() ? 0 : plan::min_arranging_block);
        const int64_t takes = plan::arranging_bytes(before, after, block);
        for (int64_t other = plan::min_arranging_block; takes > max && other < 100'000; other *= 2)
            EXPECT_LE(takes, plan::arranging_bytes(before, after, other))
                << "no other block is within the limit either";
    }
    EXPECT_EQ(plan::arranging_block({}, {}, 1000), 0);
    EXPECT_EQ(plan::arranging_bytes({}, {}, 0), 0);
    // If pieces are multiples of a block, they need not be moved to a block's start.
    const plan::Piece piece{0, 0, 30'000 * 64, {{2, 60'000 * 64}}};
    EXPECT_EQ(plan::piece_bytes(piece) % plan::arranging_block({piece, piece}, {}, 200'000), 0);
}

TEST(Arranging, pieces_without_bytes_are_allowed) {
    const std::vector<plan::Piece> none{{0, 0, 0}, {0, 8, 0, {{3, 16}}}};
    for (const int64_t max : {0, 1000, 1'000'000})
        EXPECT_GE(plan::arranging_block(none, none, max), plan::min_arranging_block);
    kernel::Arranger arranger(none, plan::arranging_block(none, {}, 1000));
    Bytes buffer = stamped(64, 1), memory(3 * static_cast<size_t>(arranger.block_bytes()));
    arranger.gather(buffer.data(), memory.data());
    arranger.scatter(buffer.data(), memory.data());
    EXPECT_EQ(buffer, stamped(64, 1));
}

TEST(Arranging, copies_with_rising_runs_are_pieces) {
    const plan::StridedCopy turn{4, 8, 100, {{5, 400, 40}, {10, 40, 4}}};
    const auto from = plan::piece_of(turn, plan::RunsAt::source);
    ASSERT_TRUE(from);
    EXPECT_EQ(from->offset, 100);
    EXPECT_EQ(from->first, 8);
    EXPECT_EQ(from->run_bytes, 4);
    ASSERT_EQ(from->loops.size(), 1u) << "10 times 40 bytes make a step of 400";
    plan::StridedCopy long_run = turn;
    long_run.loops[1].src_stride = 4;
    EXPECT_EQ(plan::piece_of(long_run, plan::RunsAt::source)->run_bytes, 40);
    plan::StridedCopy other = turn;
    other.loops[0].src_stride = 363; // the next step starts inside the previous one
    EXPECT_FALSE(plan::piece_of(other, plan::RunsAt::source));
    other.loops[0].src_stride = -400;
    EXPECT_FALSE(plan::piece_of(other, plan::RunsAt::source));
    other.loops[0].src_stride = 0;
    EXPECT_FALSE(plan::piece_of(other, plan::RunsAt::source));
    const plan::StridedCopy reordered{4, 8, 100, {{5, 400, 4}, {10, 40, 20}}};
    EXPECT_FALSE(plan::piece_of(reordered, plan::RunsAt::source)) << "the section has another order";
    other = turn;
    other.tables.push_back({0, 0, {{0, 0, 1}, {7, 90, 1}}});
    EXPECT_FALSE(plan::piece_of(other, plan::RunsAt::source));
    other = turn;
    other.conversion = {Scalar::int16, Scalar::float32, 2};
    EXPECT_FALSE(plan::piece_of(other, plan::RunsAt::source));
    EXPECT_TRUE(plan::are_in_place({{8, 8, 4}}));
    EXPECT_FALSE(plan::are_in_place({{8, 8, 4}, {12, 16, 4}}));
}

} // namespace
} // namespace dri::test
