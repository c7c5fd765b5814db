// Division that avoids the processor's, against counting.
#include "base/quotient.hpp"

#include <gtest/gtest.h>

namespace dri::test {

namespace {

// Counts how often the divisor fits, and divides nothing.
int64_t counted(int64_t n, int64_t divisor) {
    int64_t times = 0;
    for (int64_t rest = n; rest >= divisor; rest -= divisor)
        ++times;
    return times;
}

} // namespace

TEST(Quotient, is_how_often_the_divisor_fits) {
    for (int64_t divisor = 1; divisor <= 66; ++divisor)
        for (int64_t n = 0; n <= 200; ++n)
            EXPECT_EQ(quotient(n, divisor), counted(n, divisor)) << n << " / " << divisor;
}

TEST(Quotient, holds_for_the_largest_numbers) {
    EXPECT_EQ(quotient(INT64_MAX, 1), INT64_MAX);
    EXPECT_EQ(quotient(INT64_MAX, INT64_MAX), 1);
    EXPECT_EQ(quotient(INT64_MAX, int64_t{1} << 62), 1);
    EXPECT_EQ(quotient((int64_t{1} << 62) - 1, int64_t{1} << 62), 0);
}

} // namespace dri::test
