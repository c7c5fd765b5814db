// Which copies share memory, compared with walks over every byte.
#include "plan/in_place.hpp"

#include "support/dice.hpp"
#include "support/plain_runs.hpp"

#include <gtest/gtest.h>

#include <set>

namespace dri::test {
namespace {

std::set<int64_t> bytes_of(const plan::StridedCopy &copy, bool written) {
    std::set<int64_t> bytes;
    auto add = [&](int64_t src, int64_t dst, int64_t n) {
        for (int64_t i = 0; i < n; ++i)
            bytes.insert((written ? dst : src) + i);
    };
    for_each_run(copy, 0, copy.src_offset, copy.dst_offset, add);
    return bytes;
}

bool meet(const plan::StridedCopy &read, const plan::StridedCopy &written) {
    const auto a = bytes_of(read, false), b = bytes_of(written, true);
    return std::any_of(a.begin(), a.end(), [&](int64_t at) { return b.count(at) > 0; });
}

plan::StridedCopy scattered_copy(Dice &dice) {
    plan::StridedCopy copy{dice.range(1, 6), dice.range(0, 300), dice.range(0, 300), {}};
    for (int64_t n = dice.range(0, 3); n > 0; --n)
        copy.loops.push_back({dice.range(1, 4), dice.range(-20, 60), dice.range(0, 60)});
    if (dice.chance(20)) {
        const int64_t src = dice.range(1, 9), dst = dice.range(1, 9);
        plan::Entries::List entries;
        for (int64_t n = dice.range(1, 4); n > 0; --n)
            entries.push_back({dice.range(0, 80), dice.range(0, 80), dice.range(1, 3)});
        copy.tables.push_back({src, dst, entries});
    }
    return copy;
}

TEST(InPlacePlans, copies_that_share_a_byte_are_always_detected) {
    Dice dice(41);
    int64_t meeting = 0, apart = 0;
    for (int i = 0; i < 20000; ++i) {
        const plan::StridedCopy read = scattered_copy(dice), written = scattered_copy(dice);
        const bool truly = meet(read, written), said = plan::may_meet(read, written);
        ASSERT_TRUE(said || !truly) << plan::to_text(read) << " and " << plan::to_text(written);
        meeting += truly;
        apart += !said;
    }
    EXPECT_GT(meeting, 1000);
    EXPECT_GT(apart, 1000);
}

// A box of an array of 5 x 7 x 11 elements of 4 bytes.
plan::StridedCopy box(Dice &dice) {
    const int64_t sizes[]{5, 7, 11}, pitches[]{7 * 11 * 4, 11 * 4, 4};
    plan::StridedCopy copy{4, 0, 0, {}};
    for (int d = 0; d < 3; ++d) {
        const int64_t begin = dice.range(0, sizes[d] - 1), count = dice.range(1, sizes[d] - begin);
        copy.src_offset += begin * pitches[d];
        copy.dst_offset = copy.src_offset;
        copy.loops.push_back({count, pitches[d], pitches[d]});
    }
    return plan::canonical(copy);
}

TEST(InPlacePlans, boxes_of_an_array_are_distinguished_exactly) {
    Dice dice(43);
    int64_t meeting = 0;
    for (int i = 0; i < 5000; ++i) {
        const plan::StridedCopy read = box(dice), written = box(dice);
        const bool truly = meet(read, written);
        ASSERT_EQ(plan::may_meet(read, written), truly)
            << plan::to_text(read) << " and " << plan::to_text(written);
        meeting += truly;
    }
    EXPECT_GT(meeting, 500);
    EXPECT_LT(meeting, 4500);
}

// Rows of ten blocks of 3 elements, dealt cyclically to 3 parts, and one more element.
TEST(InPlacePlans, cyclic_parts_are_distinguished) {
    constexpr int64_t row = 31 * 8;
    const auto cycle = [](int64_t part) {
        return plan::StridedCopy{3 * 8, part * 24, part * 24, {{6, row, row}, {3, 9 * 8, 9 * 8}}};
    };
    for (int64_t a = 0; a < 3; ++a)
        for (int64_t b = 0; b < 3; ++b)
            EXPECT_EQ(plan::may_meet(cycle(a), cycle(b)), a == b) << a << " " << b;
}

TEST(InPlacePlans, copies_that_move_nothing_are_detected) {
    const plan::StridedCopy copy{8, 16, 16, {{4, 100, 100}}};
    plan::StridedCopy other = copy;
    EXPECT_TRUE(plan::is_identity_in_place(copy));
    other.dst_offset = 24;
    EXPECT_FALSE(plan::is_identity_in_place(other));
    other = copy;
    other.loops[0].dst_stride = 96;
    EXPECT_FALSE(plan::is_identity_in_place(other));
    other = copy;
    other.conversion = {Scalar::int16, Scalar::float32, 2};
    EXPECT_FALSE(plan::is_identity_in_place(other));
}

plan::Message message(int64_t src, int64_t dst, int64_t bytes, int64_t round) {
    return {0, bytes, {{bytes, src, dst, {}}}, round};
}

TEST(InPlacePlans, a_receive_waits_for_the_sends_that_it_overwrites) {
    const std::vector<plan::Message> sends{message(0, 0, 10, 1), message(10, 0, 10, 2), message(20, 0, 10, 4)};
    const std::vector<plan::Message> receives{message(0, 40, 5, 1), message(0, 5, 4, 2), message(0, 8, 4, 2),
                                              message(0, 12, 9, 3)};
    const plan::InPlaceOrder order = plan::in_place_order(sends, receives);
    EXPECT_EQ(order.packed_before, (std::vector<size_t>{0, 1, 2, 3}));
    EXPECT_EQ(order.sends_at_once, 1) << "the last one needs that of round 4, when those before have left";
    EXPECT_EQ(plan::in_place_order(sends, {message(0, 25, 4, 1)}).sends_at_once, 3);
    EXPECT_EQ(plan::in_place_order({}, receives).sends_at_once, 0);
}

} // namespace
} // namespace dri::test
