// Sizes in proportion to weights, against the definition and against all other sizes.
#include "model/weights.hpp"

#include "support/oracle.hpp"
#include "support/sanitizer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

namespace dri::test {

namespace {

using Sizes = std::vector<int64_t>;
using Weights = std::vector<double>;

Sizes sizes_of(int64_t n, const Weights &weights, const SizeLimits &limits = {}) {
    return apportion(n, weights, limits).value_or(Sizes{});
}

} // namespace

TEST(Weights, largest_remainder) {
    EXPECT_EQ(sizes_of(10, {1, 2, 7}), (Sizes{1, 2, 7}));
    EXPECT_EQ(sizes_of(10, {0.1, 0.2, 0.7}), (Sizes{1, 2, 7}));
    EXPECT_EQ(sizes_of(4, {1, 1, 1}), (Sizes{2, 1, 1})) << "equal remainders: the lower part gets more";
    EXPECT_EQ(sizes_of(5, {1, 1, 1}), (Sizes{2, 2, 1}));
    EXPECT_EQ(sizes_of(7, {3, 0, 1}), (Sizes{5, 0, 2})) << "5.25, 0, 1.75";
    EXPECT_EQ(sizes_of(2, {0, 5, 0, 5, 5}), (Sizes{0, 1, 0, 1, 0}));
    EXPECT_EQ(sizes_of(0, {1, 2}), (Sizes{0, 0}));
    EXPECT_EQ(sizes_of(1000, {1e300, 1e-300}), (Sizes{1000, 0}));
}

TEST(Weights, agree_with_the_definition) {
    std::mt19937_64 random(3);
    for (int round = 0; round < dri_test::rounds(3000); ++round) {
        CutRule rule;
        rule.kind = CutKind::weights;
        rule.nparts = static_cast<int64_t>(random() % 9 + 1);
        for (int64_t c = 0; c < rule.nparts; ++c)
            rule.weights.push_back(static_cast<double>(random() % 7));
        rule.weights[random() % rule.weights.size()] += 1;
        const auto n = static_cast<int64_t>(random() % 60);
        EXPECT_EQ(sizes_of(n, rule.weights), part_sizes(plain_owners(rule, n, rule.nparts), rule.nparts))
            << n << " " << to_text(rule, rule.nparts);
    }
}

TEST(Weights, limits) {
    EXPECT_EQ(sizes_of(10, {1, 9}, {.min = 3}), (Sizes{3, 7}));
    EXPECT_EQ(sizes_of(10, {1, 9}, {.max = 6}), (Sizes{4, 6}));
    EXPECT_EQ(sizes_of(10, {1, 1}, {.multiple = 4}), (Sizes{4, 6}));
    EXPECT_EQ(sizes_of(7, {1, 2, 1}, {.min = 3}), (Sizes{3, 4, 0})) << "one of the lightest is left out";
    EXPECT_EQ(sizes_of(64, {1, 1, 1, 1, 1}, {.min = 16, .max = 16}), (Sizes{16, 16, 16, 16, 0}));
    EXPECT_FALSE(apportion(65, Weights{1, 1, 1, 1, 1}, {.min = 16, .max = 16}));
    EXPECT_FALSE(apportion(5, Weights{1, 0}, {.max = 4})) << "a part without weight takes nothing";
}

TEST(Weights, limits_are_met_where_any_sizes_meet_them) {
    std::mt19937_64 random(4);
    const auto dice = [&](uint64_t most) { return static_cast<int64_t>(random() % (most + 1)); };
    for (int round = 0; round < dri_test::rounds(20000); ++round) {
        CutRule rule;
        rule.kind = CutKind::weights;
        rule.nparts = dice(4) + 1;
        for (int64_t c = 0; c < rule.nparts; ++c)
            rule.weights.push_back(static_cast<double>(dice(5)));
        rule.weights[0] += 1;
        rule.min = dice(5);
        rule.max = dice(1) ? rule.min + dice(6) : 0;
        rule.multiple = dice(4);
        const int64_t n = dice(25);
        const auto sizes = apportion(n, rule.weights, {rule.min, rule.max, rule.multiple});
        ASSERT_EQ(sizes.has_value(), can_be_cut(rule, n, rule.nparts)) << n << " " << to_text(rule, rule.nparts);
        if (!sizes)
            continue;
        EXPECT_EQ(std::accumulate(sizes->begin(), sizes->end(), int64_t{0}), n);
        EXPECT_TRUE(meets_limits(rule, *sizes)) << n << " " << to_text(rule, rule.nparts);
        for (size_t c = 0; c < sizes->size(); ++c)
            EXPECT_TRUE(rule.weights[c] > 0 || (*sizes)[c] == 0);
    }
}

TEST(Weights, of_huge_sizes_add_up) {
    const int64_t n = 4'000'000'000'000'000'003;
    for (const Weights &weights : {Weights{1, 1, 1}, Weights{0.3, 0.7, 1e-9}, Weights{1e-300, 1}}) {
        const Sizes sizes = sizes_of(n, weights);
        EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), int64_t{0}), n);
    }
}

} // namespace dri::test
