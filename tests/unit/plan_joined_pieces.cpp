// Joined pieces have the same bytes in the same order, and are few where runs lie evenly.
#include "kernel_cases.hpp"

#include "plan/piece.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace dri::test {
namespace {

using plan::Piece;

// The address of each run and its length, in the order of the piece. Each run lies behind the one before.
std::vector<std::pair<int64_t, int64_t>> runs_in_order(const Piece &piece) {
    std::vector<int64_t> starts{piece.first};
    for (const plan::PieceLoop &loop : piece.loops) {
        std::vector<int64_t> inner;
        for (const int64_t start : starts)
            for (int64_t i = 0; i < loop.count; ++i)
                inner.push_back(start + i * loop.stride);
        starts = std::move(inner);
    }
    std::vector<std::pair<int64_t, int64_t>> runs;
    for (const int64_t start : starts) {
        if (!runs.empty()) {
            EXPECT_GE(start, runs.back().first + runs.back().second) << "runs of a piece rise";
        }
        runs.emplace_back(start, piece.run_bytes);
    }
    return runs;
}

// For each byte of the sections, from 0, the address that it belongs to.
std::vector<int64_t> addresses(const std::vector<Piece> &pieces) {
    std::vector<int64_t> all;
    for (const Piece &piece : pieces) {
        EXPECT_EQ(piece.offset, std::ssize(all)) << "sections follow each other";
        for (const auto &[start, bytes] : runs_in_order(piece))
            for (int64_t b = 0; b < bytes; ++b)
                all.push_back(start + b);
    }
    return all;
}

std::vector<Piece> one_behind_the_other(std::vector<Piece> pieces) {
    int64_t at = 0;
    for (Piece &piece : pieces) {
        piece.offset = at;
        at += plan::piece_bytes(piece);
    }
    return pieces;
}

std::vector<Piece> joined(std::vector<Piece> pieces) {
    plan::join_pieces(pieces);
    return pieces;
}

TEST(JoinedPieces, HaveTheSameBytesInTheSameOrder) {
    kernel_cases::Random random(5);
    const auto between = [&](int64_t low, int64_t high) { return kernel_cases::between(random, low, high); };
    size_t before = 0, after = 0;
    for (int round = 0; round < 2000 && !testing::Test::HasFailure(); ++round) {
        std::vector<Piece> pieces;
        int64_t at = 0;
        for (int64_t n = between(1, 12); n > 0; --n) {
            Piece piece{.first = at, .run_bytes = between(1, 3)};
            int64_t hull = piece.run_bytes;
            for (int64_t loops = between(0, 2); loops > 0; --loops) {
                const plan::PieceLoop loop{between(2, 3), hull + between(0, 2)};
                hull += (loop.count - 1) * loop.stride;
                piece.loops.insert(piece.loops.begin(), loop);
            }
            // Mostly equal pieces at even distances, some of which lie lower than the one before.
            const int64_t distance = hull + between(-1, 1);
            for (int64_t times = between(1, 4); times > 0; --times, piece.first += distance)
                pieces.push_back(piece);
            at = between(0, 3) == 0 ? between(0, 1000) : piece.first;
        }
        pieces = one_behind_the_other(pieces);
        const std::vector<Piece> few = joined(pieces);
        EXPECT_EQ(addresses(few), addresses(pieces)) << "round " << round;
        EXPECT_EQ(joined(few).size(), few.size());
        before += pieces.size();
        after += few.size();
    }
    EXPECT_LT(after, before * 2 / 3);
}

// Parts of the rows of a matrix of 1,000 bytes a row, four parts of each of 50 rows.
TEST(JoinedPieces, OfRowsAreOne) {
    std::vector<Piece> parts;
    for (int64_t row = 0; row < 50; ++row)
        for (const int64_t part : {0, 1, 2, 3})
            parts.push_back({.first = row * 1000 + part * 30, .run_bytes = part == 3 ? 10 : 30});
    const std::vector<Piece> one = joined(one_behind_the_other(parts));
    ASSERT_EQ(one.size(), 1u);
    EXPECT_EQ(one[0].run_bytes, 100);
    ASSERT_EQ(one[0].loops.size(), 1u);
    EXPECT_EQ(one[0].loops[0], (plan::PieceLoop{50, 1000}));
}

// Eight rows, eight and three; and one row beside them.
TEST(JoinedPieces, OfBlocksOfRowsAreOne) {
    const int64_t row = 100;
    const auto rows = [&](int64_t first, int64_t count) {
        return Piece{.first = first * row, .run_bytes = 10, .loops = {{count, row}}};
    };
    const Piece single{.first = 19 * row, .run_bytes = 10};
    for (const std::vector<Piece> &parts :
         {std::vector<Piece>{rows(0, 8), rows(8, 8), rows(16, 3), single},
          std::vector<Piece>{rows(0, 3), rows(3, 8), rows(11, 8), single},
          std::vector<Piece>{{.first = 0, .run_bytes = 10}, rows(1, 8), rows(9, 8), rows(17, 3)}}) {
        const std::vector<Piece> one = joined(one_behind_the_other(parts));
        ASSERT_EQ(one.size(), 1u);
        ASSERT_EQ(one[0].loops.size(), 1u);
        EXPECT_EQ(one[0].loops[0], (plan::PieceLoop{20, row}));
    }
}

// Their runs would not rise.
TEST(JoinedPieces, StayApartIfTheirRunsMix) {
    const auto columns = [](int64_t first) { return Piece{.first = first, .run_bytes = 8, .loops = {{4, 100}}}; };
    EXPECT_EQ(joined(one_behind_the_other({columns(0), columns(8)})).size(), 2u);
    EXPECT_EQ(joined(one_behind_the_other({columns(0), columns(300)})).size(), 2u);
    EXPECT_EQ(joined(one_behind_the_other({columns(0), columns(308)})).size(), 1u);
    EXPECT_EQ(joined(one_behind_the_other({columns(400), columns(0)})).size(), 2u) << "the second lies lower";
}

TEST(JoinedPieces, HaveNoMoreLoopsThanFit) {
    Piece piece{.first = 0, .run_bytes = 1};
    int64_t stride = 2;
    for (size_t i = 0; i < plan::max_loops; ++i, stride *= 2)
        piece.loops.insert(piece.loops.begin(), plan::PieceLoop{2, stride});
    Piece next = piece;
    next.first = 2 * stride;
    EXPECT_EQ(joined(one_behind_the_other({piece, next})).size(), 2u);
}

TEST(JoinedPieces, StayApartIfTheirSectionsDo) {
    const std::vector<Piece> apart = {{.offset = 0, .first = 0, .run_bytes = 8},
                                      {.offset = 9, .first = 8, .run_bytes = 8}};
    EXPECT_EQ(joined(apart).size(), 2u);
    EXPECT_TRUE(joined({}).empty());
}

} // namespace
} // namespace dri::test
