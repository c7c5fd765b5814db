// Sorting by digits, against the stable sort of the standard library.
#include "base/sort_by_key.hpp"

#include "support/dice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace dri::test {

TEST(SortByKey, sorts_like_std_sort) {
    constexpr int64_t min = std::numeric_limits<int64_t>::min(), max = std::numeric_limits<int64_t>::max();
    Dice dice(31);
    for (const int64_t n : {0, 1, 2, 511, 512, 5'000})
        for (const int64_t range : {int64_t{1}, int64_t{3}, int64_t{5'000}, int64_t{1} << 40, max / 2})
            for (const int64_t offset : {int64_t{0}, -range / 2, min, max - range}) {
                std::vector<std::pair<int64_t, int64_t>> values, expected;
                for (int64_t i = 0; i < n; ++i)
                    values.emplace_back(offset + dice.range(0, range), i);
                expected = values;
                std::sort(expected.begin(), expected.end()); // the second number distinguishes equal keys
                sort_by_key(values, [](const auto &v) { return v.first; });
                EXPECT_EQ(values, expected) << n << " of " << range << " from " << offset;
            }
}

// Keys that lie close together in one place and far apart in another one fill few sections.
TEST(SortByKey, sorts_distinct_keys_in_place) {
    constexpr int64_t min = std::numeric_limits<int64_t>::min(), max = std::numeric_limits<int64_t>::max();
    Dice dice(32);
    for (const size_t n : {size_t{0}, size_t{1}, size_t{65'535}, size_t{70'000}})
        for (const int64_t step : {int64_t{1}, int64_t{7}, max / 70'000})
            for (const bool mixed : {false, true})
                for (const int64_t from : {int64_t{0}, -step * 1000, min}) {
                    std::vector<std::pair<int64_t, size_t>> values, expected;
                    for (size_t i = 0; i < n; ++i)
                        values.emplace_back(from + static_cast<int64_t>(i) * step, i);
                    if (n > 1)
                        values.back().first = max;
                    expected = values;
                    if (mixed)
                        dice.shuffle(values);
                    else
                        std::reverse(values.begin(), values.end());
                    for (int turn = 0; turn < 2; ++turn) { // the second time they are sorted already
                        sort_by_distinct_key(values, [](const auto &v) { return v.first; });
                        ASSERT_EQ(values, expected) << n << " keys, " << step << " apart, from " << from;
                    }
                }
}

// All keys but one fall into one section, and again in each section of it.
TEST(SortByKey, sorts_distinct_keys_that_crowd) {
    Dice dice(33);
    std::vector<std::pair<int64_t, size_t>> values, expected;
    for (size_t i = 0; i < 3 * many_values; ++i)
        values.emplace_back(static_cast<int64_t>(i), i);
    for (const int shift : {24, 32, 40, 48, 56, 62})
        values.emplace_back(int64_t{1} << shift, values.size());
    expected = values;
    dice.shuffle(values);
    std::vector<std::pair<int64_t, size_t>> copy;
    const auto key = [](const auto &v) { return v.first; };
    sort_in_sections(std::span(values), key, copy);
    EXPECT_EQ(values, expected);
    EXPECT_LT(copy.capacity(), many_values);
}

} // namespace dri::test
