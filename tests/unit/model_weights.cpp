// Sizes in proportion to weights, compared with the definition.
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

__extension__ using Large = __int128;

Sizes sizes_of(int64_t n, const Weights &weights, const model::SizeLimits &limits = {}) {
    return model::apportion(n, weights, limits).value_or(Sizes{});
}

// The rule of weights.hpp, point by point.
class Rule {
public:
    Rule(int64_t n, const model::CutRule &rule)
        : n_(n), unit_(std::max<int64_t>(rule.multiple, 1)), sizes_(rule.weights.size()) {
        const int64_t odd = n % unit_, max = rule.max ? rule.max : n;
        for (size_t c = 0; c < sizes_.size(); ++c)
            if (rule.weights[c] > 0)
                parts_.push_back({c, static_cast<int64_t>(rule.weights[c]), 0, up(rule.min), down(max)});
        // 1. The last part has the indices beyond whole multiples.
        std::optional<Part> last;
        if (odd > 0) {
            last = parts_.back();
            parts_.pop_back();
            last->odd = odd;
            last->min = odd + up(std::max<int64_t>(rule.min - odd, 0));
            last->max = max < odd ? -1 : odd + down(max - odd);
        }
        // 2. The heaviest parts that can hold the minimum.
        std::stable_sort(parts_.begin(), parts_.end(),
                         [](const Part &a, const Part &b) { return a.weight > b.weight; });
        const auto minima = [&] {
            int64_t sum = last ? last->min : 0;
            for (const Part &p : parts_)
                sum += p.min;
            return sum;
        };
        while (!parts_.empty() && rule.min > 0 && (minima() > n || parts_.back().min > parts_.back().max))
            parts_.pop_back();
        if (last)
            parts_.push_back(*last);
        std::sort(parts_.begin(), parts_.end(), [](const Part &a, const Part &b) { return a.at < b.at; });
        int64_t maxima = 0;
        for (const Part &p : parts_)
            maxima += p.min > p.max ? -n - 1 : std::min(p.max, n + 1);
        can_be_met_ = n == 0 || (minima_of_all() <= n && n <= maxima && (!last || last->min <= last->max));
    }

    bool can_be_met() const { return can_be_met_; }

    Sizes sizes() {
        if (n_ > 0 && !try_from(0))
            ADD_FAILURE() << "no factor fits";
        return sizes_;
    }

private:
    struct Part {
        size_t at;
        int64_t weight, odd, min, max;
        enum { between, at_min, at_max } state = between;
    };
    int64_t up(int64_t size) const { return (size + unit_ - 1) / unit_ * unit_; }
    int64_t down(int64_t size) const { return size / unit_ * unit_; }
    int64_t minima_of_all() const {
        int64_t sum = 0;
        for (const Part &p : parts_)
            sum += p.min;
        return sum;
    }

    bool try_from(size_t i) {
        if (i == parts_.size())
            return fits();
        for (const auto state : {Part::between, Part::at_min, Part::at_max}) {
            parts_[i].state = state;
            if (try_from(i + 1))
                return true;
        }
        return false;
    }

    // 3. The factor is left / sum: what parts between their bounds share, by the sum of their weights. Without
    // such parts, any factor between the largest that a minimum allows and the smallest that a maximum needs will
    // do.
    bool fits() {
        int64_t left = n_, sum = 0;
        for (const Part &p : parts_) {
            left -= p.state == Part::at_min ? p.min : p.state == Part::at_max ? p.max : 0;
            sum += p.state == Part::between ? p.weight : 0;
        }
        if (left < 0 || (sum == 0 && left > 0))
            return false;
        for (const Part &p : parts_)
            for (const Part &q : parts_)
                if (sum == 0 && p.state == Part::at_max && q.state == Part::at_min &&
                    p.max * q.weight > q.min * p.weight)
                    return false;
        for (const Part &p : parts_) {
            const int64_t share = left * p.weight;
            if (sum > 0 && ((p.state != Part::at_max && share > p.max * sum) ||
                            (p.state != Part::at_min && share < p.min * sum) ||
                            (p.state == Part::at_max && share < p.max * sum) ||
                            (p.state == Part::at_min && share > p.min * sum)))
                return false;
        }
        // 4. Rounded to whole multiples by largest remainder.
        std::vector<std::pair<int64_t, size_t>> cut_off;
        int64_t rest = n_;
        for (const Part &p : parts_) {
            int64_t size = p.state == Part::at_min ? p.min : p.max;
            if (p.state == Part::between) {
                size = p.odd + down((left * p.weight - p.odd * sum) / sum);
                cut_off.push_back({size * sum - left * p.weight, p.at}); // the smallest has the largest remainder
            }
            sizes_[p.at] = size;
            rest -= size;
        }
        std::sort(cut_off.begin(), cut_off.end());
        for (const auto &[missing, at] : cut_off)
            if (rest > 0) {
                sizes_[at] += unit_;
                rest -= unit_;
            }
        return rest == 0;
    }

    int64_t n_, unit_;
    Sizes sizes_;
    std::vector<Part> parts_;
    bool can_be_met_ = false;
};

} // namespace

TEST(Weights, largest_remainder) {
    EXPECT_EQ(sizes_of(10, {1, 2, 7}), (Sizes{1, 2, 7}));
    EXPECT_EQ(sizes_of(10, {0.1, 0.2, 0.7}), (Sizes{1, 2, 7}));
    EXPECT_EQ(sizes_of(4, {1, 1, 1}), (Sizes{2, 1, 1})) << "equal cut_off: the lower part receives more";
    EXPECT_EQ(sizes_of(5, {1, 1, 1}), (Sizes{2, 2, 1}));
    EXPECT_EQ(sizes_of(7, {3, 0, 1}), (Sizes{5, 0, 2})) << "5.25, 0, 1.75";
    EXPECT_EQ(sizes_of(2, {0, 5, 0, 5, 5}), (Sizes{0, 1, 0, 1, 0}));
    EXPECT_EQ(sizes_of(0, {1, 2}), (Sizes{0, 0}));
    EXPECT_EQ(sizes_of(1000, {1e300, 1e-300}), (Sizes{1000, 0}));
    EXPECT_EQ(sizes_of(4, {1e308, 1e308}), (Sizes{2, 2})) << "their sum is not representable as a double";
    EXPECT_EQ(sizes_of(9, {5e-324, 1e-323}), (Sizes{3, 6}));
}

TEST(Weights, agree_with_the_definition) {
    std::mt19937_64 random(3);
    for (int round = 0; round < rounds(3000); ++round) {
        model::CutRule rule;
        rule.kind = model::CutKind::weights;
        rule.nparts = static_cast<int64_t>(random() % 9 + 1);
        for (int64_t c = 0; c < rule.nparts; ++c)
            rule.weights.push_back(static_cast<double>(random() % 7));
        rule.weights[random() % rule.weights.size()] += 1;
        const auto n = static_cast<int64_t>(random() % 60);
        EXPECT_EQ(sizes_of(n, rule.weights), part_sizes(plain_owners(rule, n, rule.nparts), rule.nparts))
            << n << " " << model::to_text(rule, rule.nparts);
    }
}

// The weights are whole numbers, so that all results are exact in 128 bits.
TEST(Weights, largest_remainder_of_any_size) {
    std::mt19937_64 random(5);
    for (int round = 0; round < rounds(20000); ++round) {
        const int bits = static_cast<int>(random() % 62) + 1;
        const auto n = static_cast<int64_t>(random() >> (64 - bits));
        Weights weights(random() % 5 + 1);
        for (double &w : weights)
            w = static_cast<double>(random() >> (random() % 2 ? 61 : 11));
        weights[0] += 1;
        Large sum = 0;
        for (const double w : weights)
            sum += static_cast<int64_t>(w);
        Sizes sizes;
        std::vector<Large> missing;
        int64_t left = n;
        for (const double w : weights) {
            const Large share = static_cast<Large>(n) * static_cast<int64_t>(w);
            sizes.push_back(static_cast<int64_t>(share / sum));
            missing.push_back(share % sum);
            left -= sizes.back();
        }
        for (; left > 0; --left) {
            const auto neediest = std::max_element(missing.begin(), missing.end());
            ++sizes[static_cast<size_t>(neediest - missing.begin())];
            *neediest = -1;
        }
        ASSERT_EQ(sizes_of(n, weights), sizes) << n << " " << fmt::format("{}", fmt::join(weights, ":"));
    }
}

TEST(Weights, limits) {
    EXPECT_EQ(sizes_of(10, {2, 8}, {.min = 3}), (Sizes{3, 7}));
    EXPECT_EQ(sizes_of(10, {1, 9}, {.min = 3}), (Sizes{3, 7}));
    EXPECT_EQ(sizes_of(20, {1, 1, 8}, {.max = 10}), (Sizes{5, 5, 10}))
        << "what the last part cannot hold is shared";
    EXPECT_EQ(sizes_of(10, {1, 9}, {.max = 6}), (Sizes{4, 6}));
    EXPECT_EQ(sizes_of(10, {1, 1}, {.multiple = 4}), (Sizes{4, 6}));
    EXPECT_EQ(sizes_of(7, {1, 2, 1}, {.min = 3}), (Sizes{3, 4, 0})) << "one of the lightest is left out";
    EXPECT_EQ(sizes_of(64, {1, 1, 1, 1, 1}, {.min = 16, .max = 16}), (Sizes{16, 16, 16, 16, 0}));
    EXPECT_FALSE(model::apportion(65, Weights{1, 1, 1, 1, 1}, {.min = 16, .max = 16}));
    EXPECT_FALSE(model::apportion(5, Weights{1, 0}, {.max = 4})) << "a part without weight holds nothing";
    EXPECT_EQ(sizes_of(10, {5, 0, 4, 1}, {.multiple = 6}), (Sizes{6, 0, 0, 4})) << "the last part has the rest";
    EXPECT_EQ(sizes_of(23, {4, 3, 1}, {.min = 3, .multiple = 4}), (Sizes{12, 8, 3}));
    EXPECT_EQ(sizes_of(3, {2, 0, 1}, {.max = 6, .multiple = 5}), (Sizes{0, 0, 3}));
    EXPECT_EQ(sizes_of(INT64_MAX, {1, 3}, {.max = INT64_MAX / 2 + 1}), (Sizes{INT64_MAX / 2, INT64_MAX / 2 + 1}));
    EXPECT_EQ(sizes_of(INT64_MAX, {1, 1}, {.multiple = INT64_MAX - 1}), (Sizes{INT64_MAX - 1, 1}));
}

// Compared with the rule as the header of the module states it. The weights are small whole numbers, so all
// fractions are exact. A part is at its minimum, at its maximum or between them; the rule is tried with each
// combination.
TEST(Weights, under_limits_follow_one_factor) {
    std::mt19937_64 random(6);
    const auto dice = [&](uint64_t max) { return static_cast<int64_t>(random() % (max + 1)); };
    int given = 0, clamped = 0;
    for (int round = 0; round < rounds(20000); ++round) {
        model::CutRule rule;
        rule.kind = model::CutKind::weights;
        rule.nparts = dice(5) + 1;
        const auto max = static_cast<uint64_t>(dice(1) ? 5 : 40);
        for (int64_t c = 0; c < rule.nparts; ++c)
            rule.weights.push_back(static_cast<double>(dice(max) + (c == 0)));
        rule.min = dice(1) * dice(6);
        rule.max = dice(1) ? std::max(rule.min, dice(12)) : 0;
        rule.multiple = dice(1) * dice(6);
        const int64_t n = dice(40);
        const std::string name = fmt::format("{} {}", n, model::to_text(rule, rule.nparts));
        const auto sizes = model::apportion(n, rule.weights, {rule.min, rule.max, rule.multiple});
        Rule by_words(n, rule);
        ASSERT_EQ(sizes.has_value(), by_words.can_be_met()) << name;
        if (!sizes)
            continue;
        ++given;
        ASSERT_TRUE(meets_limits(rule, *sizes)) << name;
        const Sizes expected = by_words.sizes();
        ASSERT_EQ(*sizes, expected) << name;
        clamped += expected != sizes_of(n, rule.weights);
    }
    EXPECT_GT(given, rounds(20000) / 2);
    EXPECT_GT(clamped, rounds(20000) / 8);
}

// With this many parts, trying pairs of them would take minutes.
TEST(Weights, of_many_parts_are_cut_quickly) {
    const int64_t p = sanitized ? 2000 : 20000;
    const auto parts = static_cast<size_t>(p);
    Weights level(parts, 1.0), falling;
    level[0] = 1e6;
    for (int64_t c = 0; c < p; ++c)
        falling.push_back(static_cast<double>(2 * p - c));
    for (const Weights &weights : {level, falling}) {
        EXPECT_EQ(sizes_of(p * 3, weights, {.min = 3, .max = 3}), Sizes(parts, 3));
        EXPECT_FALSE(model::apportion(p * 3, weights, {.min = 2, .max = 2}));
        EXPECT_FALSE(model::apportion(p * 3, weights, {.min = 5, .max = 6, .multiple = 4}));
        for (const model::SizeLimits &limits : {model::SizeLimits{3, 0, 0}, model::SizeLimits{5, 0, 4},
                                                model::SizeLimits{0, 0, 7}, model::SizeLimits{0, 14, 7}}) {
            const model::CutRule rule{.kind = model::CutKind::weights,
                                      .min = limits.min,
                                      .max = limits.max,
                                      .multiple = limits.multiple};
            const int64_t n = p * 3 + 1;
            const Sizes sizes = sizes_of(n, weights, limits);
            EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), int64_t{0}), n);
            EXPECT_TRUE(meets_limits(rule, sizes));
        }
    }
}

TEST(Weights, limits_are_met_if_any_sizes_meet_them) {
    std::mt19937_64 random(4);
    const auto dice = [&](uint64_t max) { return static_cast<int64_t>(random() % (max + 1)); };
    for (int round = 0; round < rounds(20000); ++round) {
        model::CutRule rule;
        rule.kind = model::CutKind::weights;
        rule.nparts = dice(4) + 1;
        for (int64_t c = 0; c < rule.nparts; ++c)
            rule.weights.push_back(static_cast<double>(dice(5)));
        rule.weights[0] += 1;
        rule.min = dice(5);
        rule.max = dice(1) ? rule.min + dice(6) : 0;
        rule.multiple = dice(4);
        const int64_t n = dice(25);
        const auto sizes = model::apportion(n, rule.weights, {rule.min, rule.max, rule.multiple});
        ASSERT_EQ(sizes.has_value(), can_be_cut(rule, n, rule.nparts))
            << n << " " << model::to_text(rule, rule.nparts);
        if (!sizes)
            continue;
        EXPECT_EQ(std::accumulate(sizes->begin(), sizes->end(), int64_t{0}), n);
        EXPECT_TRUE(meets_limits(rule, *sizes)) << n << " " << model::to_text(rule, rule.nparts);
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
