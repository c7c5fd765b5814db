// Ranges, compared with the sequences that they stand for. Nothing here starts the library.
#include "support/dice.hpp"
#include "support/sanitizer.hpp"

#include <dri/range.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

namespace dri::test {
namespace {

using Sequence = std::vector<int64_t>;
constexpr int64_t least = std::numeric_limits<int64_t>::min(), most = std::numeric_limits<int64_t>::max();

Sequence sequence_of(const DRI_Range &range) {
    Sequence all;
    for (int64_t i = 0, index = range.first; i < range.size; ++i, index += range.stride)
        all.push_back(index);
    return all;
}

DRI_Range random_range(Dice &dice) {
    const int64_t stride = dice.range(1, 5) * dice.one_of<int64_t>({-1, 1});
    return {dice.range(-10, 10), stride, dice.range(0, 8)};
}

std::string in_words(const DRI_Range &r) {
    return "{" + std::to_string(r.first) + ", " + std::to_string(r.stride) + ", " + std::to_string(r.size) + "}";
}

// The places of the members of a sequence in another one, or nothing if one is missing.
std::optional<Sequence> places(const Sequence &sub, const Sequence &whole) {
    Sequence found;
    for (const int64_t index : sub) {
        const auto at = std::find(whole.begin(), whole.end(), index);
        if (at == whole.end())
            return std::nullopt;
        found.push_back(at - whole.begin());
    }
    return found;
}

TEST(Ranges, BetweenBoundsAreTheMultiplesOfTheStride) {
    Dice dice(1);
    for (int n = 0; n < 20000; ++n) {
        const int64_t lo = dice.range(-12, 12), hi = dice.range(-12, 12), align = dice.range(-30, 30);
        const int64_t stride = dice.range(1, 6) * dice.one_of<int64_t>({-1, 1});
        DRI_Range made;
        ASSERT_EQ(DRI_range(lo, hi, stride, align, &made), DRI_SUCCESS) << DRI_error_message();
        Sequence wanted;
        for (int64_t i = lo; i < hi; ++i)
            if ((i - align) % stride == 0)
                wanted.push_back(i);
        if (stride < 0)
            std::reverse(wanted.begin(), wanted.end());
        ASSERT_EQ(sequence_of(made), wanted) << lo << " " << hi << " by " << stride << " align " << align;
        ASSERT_EQ(made.stride, stride);
    }
}

TEST(Ranges, KnowThePlaceOfAnIndex) {
    Dice dice(2);
    for (int n = 0; n < 2000; ++n) {
        const DRI_Range range = random_range(dice);
        const Sequence all = sequence_of(range);
        for (int64_t index = -60; index < 60; ++index) {
            int64_t order = -2;
            ASSERT_EQ(DRI_range_order(range, index, &order), DRI_SUCCESS) << DRI_error_message();
            const auto at = std::find(all.begin(), all.end(), index);
            ASSERT_EQ(order, at == all.end() ? -1 : at - all.begin()) << in_words(range) << " " << index;
        }
    }
}

TEST(Ranges, HaveTheirCommonMembersInTheDirectionOfTheFirst) {
    Dice dice(3);
    for (int n = 0; n < 100000; ++n) {
        const DRI_Range a = random_range(dice), b = random_range(dice);
        DRI_Range common;
        ASSERT_EQ(DRI_range_common(a, b, &common), DRI_SUCCESS) << DRI_error_message();
        Sequence wanted;
        const Sequence others = sequence_of(b);
        for (const int64_t index : sequence_of(a))
            if (std::find(others.begin(), others.end(), index) != others.end())
                wanted.push_back(index);
        ASSERT_EQ(sequence_of(common), wanted) << in_words(a) << " " << in_words(b);
        if (wanted.size() == 1) {
            ASSERT_EQ(common.stride, 1);
        }
    }
}

TEST(Ranges, BecomeDenseAndComeBack) {
    Dice dice(4);
    int inside = 0;
    for (int n = 0; n < rounds(200000); ++n) {
        const DRI_Range whole = random_range(dice);
        DRI_Range sub = random_range(dice);
        if (dice.chance(50) && whole.size > 0) // one that is inside
            sub = {whole.first + whole.stride * dice.range(0, whole.size - 1),
                   whole.stride * dice.one_of<int64_t>({-2, -1, 1, 2}), dice.range(0, 3)};
        const auto wanted = places(sequence_of(sub), sequence_of(whole));
        DRI_Range dense, back;
        const int code = DRI_densify(sub, whole, &dense);
        ASSERT_EQ(code, wanted ? DRI_SUCCESS : DRI_ERR_ARG) << in_words(sub) << " " << in_words(whole);
        if (!wanted)
            continue;
        ++inside;
        ASSERT_EQ(sequence_of(dense), *wanted) << in_words(sub) << " " << in_words(whole);
        ASSERT_EQ(DRI_undensify(dense, whole, &back), DRI_SUCCESS) << DRI_error_message();
        ASSERT_EQ(sequence_of(back), sequence_of(sub)) << in_words(sub) << " " << in_words(whole);
    }
    EXPECT_GT(inside, rounds(10000));
}

TEST(Ranges, ReachToTheEndsOf64Bits) {
    DRI_Range made;
    int64_t order = -2;
    ASSERT_EQ(DRI_range(most - 10, most, 3, most - 10, &made), DRI_SUCCESS);
    EXPECT_EQ(sequence_of(made), (Sequence{most - 10, most - 7, most - 4, most - 1}));
    ASSERT_EQ(DRI_range(least, least + 8, -4, least, &made), DRI_SUCCESS);
    EXPECT_EQ(sequence_of(made), (Sequence{least + 4, least}));
    ASSERT_EQ(DRI_range_order({least, most, 2}, -1, &order), DRI_SUCCESS);
    EXPECT_EQ(order, 1);
    ASSERT_EQ(DRI_range_order({most, -1, 5}, least, &order), DRI_SUCCESS);
    EXPECT_EQ(order, -1);
    // Both have the odd multiples of a stride that is their product.
    const int64_t a = 3'000'000'019, b = 3'000'000'037;
    DRI_Range common;
    ASSERT_EQ(DRI_range_common({0, a, most / a}, {0, -b, 1}, &common), DRI_SUCCESS);
    EXPECT_EQ(sequence_of(common), Sequence{0});
    ASSERT_EQ(DRI_range_common({-b, a, b + 1}, {-b, b, 2}, &common), DRI_SUCCESS);
    EXPECT_EQ(sequence_of(common), Sequence{-b});
}

TEST(Ranges, RefuseWhatIsNone) {
    const DRI_Range good{0, 1, 5};
    DRI_Range out;
    int64_t order;
    for (const DRI_Range &bad : {DRI_Range{0, 0, 1}, DRI_Range{0, 1, -1}, DRI_Range{most, 1, 2},
                                 DRI_Range{least, most, 3}, DRI_Range{0, least, 1}}) {
        EXPECT_EQ(DRI_range_order(bad, 0, &order), DRI_ERR_ARG);
        EXPECT_NE(std::string(DRI_error_message()).find("no range"), std::string::npos) << DRI_error_message();
        EXPECT_EQ(DRI_range_common(bad, good, &out), DRI_ERR_ARG);
        EXPECT_EQ(DRI_range_common(good, bad, &out), DRI_ERR_ARG);
        EXPECT_EQ(DRI_densify(bad, good, &out), DRI_ERR_ARG);
        EXPECT_EQ(DRI_densify(good, bad, &out), DRI_ERR_ARG);
        EXPECT_EQ(DRI_undensify(bad, good, &out), DRI_ERR_ARG);
        EXPECT_EQ(DRI_undensify(good, bad, &out), DRI_ERR_ARG);
    }
    EXPECT_EQ(DRI_range(0, 5, 0, 0, &out), DRI_ERR_ARG);
    EXPECT_EQ(DRI_range(0, 5, 1, 0, nullptr), DRI_ERR_ARG);
    EXPECT_EQ(DRI_range(least, most, 1, 0, &out), DRI_ERR_OVERFLOW);
    EXPECT_EQ(DRI_range(0, 5, least, 0, &out), DRI_ERR_OVERFLOW);
    EXPECT_EQ(DRI_range_order(good, 0, nullptr), DRI_ERR_ARG);
    EXPECT_EQ(DRI_range_common(good, good, nullptr), DRI_ERR_ARG);
    EXPECT_EQ(DRI_densify(good, good, nullptr), DRI_ERR_ARG);
    EXPECT_EQ(DRI_undensify(good, good, nullptr), DRI_ERR_ARG);
    EXPECT_EQ(DRI_undensify({0, 1, 6}, good, &out), DRI_ERR_ARG);
    EXPECT_EQ(DRI_densify({3, 1, 3}, good, &out), DRI_ERR_ARG);
    const std::string message = DRI_error_message();
    EXPECT_NE(message.find("3..5"), std::string::npos) << message;
    EXPECT_NE(message.find("0..4"), std::string::npos) << message;
}

} // namespace
} // namespace dri::test
