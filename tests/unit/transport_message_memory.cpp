#include "transport/message_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

namespace dri::test {

namespace {

using Piece = transport::MessageMemory::Piece;

struct Held {
    Piece piece;
    int64_t bytes = 0;
    int mark = 0;
};

void write_mark(const Held &held) { std::memset(held.piece.data(), held.mark, static_cast<size_t>(held.bytes)); }

bool is_as_written(const Held &held) {
    const auto *data = reinterpret_cast<const unsigned char *>(held.piece.data());
    return std::all_of(data, data + held.bytes, [&](unsigned char byte) { return byte == held.mark; });
}

uintptr_t address_of(const Piece &piece) { return reinterpret_cast<uintptr_t>(piece.data()); }

} // namespace

TEST(MessageMemory, PiecesOfAPageOrMoreStartAtAPage) {
    const auto memory = std::make_shared<transport::MessageMemory>();
    const Piece a = memory->take(page_bytes), b = memory->take(page_bytes + 1), c = memory->take(page_bytes);
    EXPECT_EQ(address_of(a) % huge_page_bytes, 0u) << "a huge page is possible";
    EXPECT_EQ(address_of(b), address_of(a) + page_bytes);
    EXPECT_EQ(address_of(c), address_of(b) + 2 * page_bytes);
    EXPECT_EQ(memory->num_blocks(), 1);
    EXPECT_EQ(memory->take(0).data(), nullptr);
}

// What is told of staging memory is counted in cache lines.
TEST(MessageMemory, PiecesTakeTheirCacheLinesOnly) {
    const auto memory = std::make_shared<transport::MessageMemory>();
    const Piece odd = memory->take(page_bytes + 1);
    constexpr int64_t bytes = 6 * cache_line_bytes - 7, pieces = (huge_page_bytes - page_bytes) / (bytes + 7);
    std::vector<Piece> small;
    for (int64_t i = 0; i < pieces; ++i) {
        small.push_back(memory->take(bytes));
        EXPECT_EQ(address_of(small[static_cast<size_t>(i)]) % cache_line_bytes, 0u);
    }
    EXPECT_EQ(memory->num_blocks(), 1);
    EXPECT_EQ(address_of(small[0]), address_of(odd) + page_bytes + cache_line_bytes);
    EXPECT_EQ(address_of(small[9]), address_of(small[0]) + 9 * 6 * cache_line_bytes);
}

TEST(MessageMemory, LargePiecesShareNoPage) {
    const auto memory = std::make_shared<transport::MessageMemory>();
    const Piece large = memory->take(huge_page_bytes), larger = memory->take(3 * huge_page_bytes + 1);
    EXPECT_EQ(memory->num_blocks(), 0);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(large.data()) % huge_page_bytes, 0u);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(larger.data()) % huge_page_bytes, 0u);
    const Piece own = memory->take(transport::MessageMemory::max_shared_bytes + 1);
    EXPECT_EQ(memory->num_blocks(), 0);
    std::vector<Piece> shared;
    for (int64_t i = 0; i < huge_page_bytes / transport::MessageMemory::max_shared_bytes; ++i)
        shared.push_back(memory->take(transport::MessageMemory::max_shared_bytes));
    EXPECT_EQ(memory->num_blocks(), 1);
    const Piece small = memory->take(1);
    EXPECT_EQ(memory->num_blocks(), 2) << "the first one is full";
}

TEST(MessageMemory, FreedMemoryIsReused) {
    const auto memory = std::make_shared<transport::MessageMemory>();
    const int64_t max = transport::MessageMemory::max_shared_bytes, half = max / 2;
    Piece first = memory->take(half);
    std::vector<Piece> rest;
    for (int64_t taken = half; taken < huge_page_bytes; taken += half)
        rest.push_back(memory->take(half));
    EXPECT_EQ(memory->num_blocks(), 1);
    const std::byte *const address = first.data();
    first = {};
    const Piece too_large = memory->take(half + 1);
    EXPECT_EQ(memory->num_blocks(), 2);
    const Piece again = memory->take(half);
    EXPECT_EQ(again.data(), address);
    EXPECT_EQ(memory->num_blocks(), 2);
}

TEST(MessageMemory, AHugePageIsFreedWithItsLastPiece) {
    const auto memory = std::make_shared<transport::MessageMemory>();
    Piece a = memory->take(1), b = memory->take(1);
    a = {};
    EXPECT_EQ(memory->num_blocks(), 1);
    b = std::move(a);
    EXPECT_EQ(memory->num_blocks(), 0);
}

TEST(MessageMemory, APieceOutlivesItsOwner) {
    auto memory = std::make_shared<transport::MessageMemory>();
    Held held{memory->take(5000), 5000, 77};
    memory.reset();
    write_mark(held);
    const Held moved = std::move(held);
    EXPECT_TRUE(is_as_written(moved));
}

// Whatever the order, no piece overwrites another one.
TEST(MessageMemory, PiecesNeverMeet) {
    std::mt19937 random(7);
    const auto memory = std::make_shared<transport::MessageMemory>();
    std::vector<Held> all;
    for (int step = 0; step < 3000; ++step) {
        if (all.size() > 40 || (!all.empty() && random() % 3 == 0)) {
            const size_t i = random() % all.size();
            ASSERT_TRUE(is_as_written(all[i])) << step;
            std::swap(all[i], all.back());
            all.pop_back();
            continue;
        }
        const int64_t bytes = 1 + static_cast<int64_t>(random() % (step % 3 == 0   ? 600'000
                                                                   : step % 3 == 1 ? 40'000
                                                                                   : 500));
        all.push_back({memory->take(bytes), bytes, step % 251});
        write_mark(all.back());
    }
    for (const Held &held : all)
        EXPECT_TRUE(is_as_written(held));
    EXPECT_GT(memory->num_blocks(), 1);
    all.clear();
    EXPECT_EQ(memory->num_blocks(), 0);
}

} // namespace dri::test
