// Sorting by digits, against the stable sort of the standard library.
#include "base/sort_by_key.hpp"

#include "support/dice.hpp"

#include <gtest/gtest.h>
#include <limits>

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

} // namespace dri::test
