// Compares index sets and their intersection with plain lists of indices.
#include "model/index_set.hpp"

#include "base/error.hpp"
#include "support/dice.hpp"
#include "support/sanitizer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace dri::test {

namespace {

// Random lists one after the other, with gaps in the global and in the local indices.
model::IndexSet random_set(Dice &dice, int64_t lists, int64_t max_size, int64_t max_count, int64_t start = 0) {
    std::vector<model::Runs> all;
    int64_t global = start + dice.range(0, 20), local = dice.range(0, 2);
    for (int64_t k = 0; k < lists; ++k) {
        model::Runs r;
        r.global = global;
        r.local = local;
        r.size = dice.range(1, max_size);
        r.count = dice.range(1, 3) == 1 ? 1 : dice.range(1, max_count);
        if (r.count > 1) {
            r.global_step = r.size + dice.range(0, dice.range(0, 1) ? 3 : 4 * max_size);
            r.local_step = r.size + (dice.range(0, 3) == 0 ? dice.range(0, 3) : 0);
        }
        all.push_back(r);
        global = r.global + (r.count - 1) * r.global_step + r.size + dice.range(0, 5);
        local = r.local + (r.count - 1) * r.local_step + r.size + dice.range(0, 1);
    }
    return model::IndexSet(std::move(all));
}

// Maps each global index to its local index.
std::map<int64_t, int64_t> enumerate(const model::IndexSet &set) {
    std::map<int64_t, int64_t> out;
    for (const model::Runs &r : set.lists())
        for (int64_t k = 0; k < r.count; ++k)
            for (int64_t i = 0; i < r.size; ++i)
                out[r.global + k * r.global_step + i] = r.local + k * r.local_step + i;
    return out;
}

std::vector<std::pair<int64_t, int64_t>> enumerate(const std::vector<model::CommonRuns> &common) {
    std::vector<std::pair<int64_t, int64_t>> out;
    for (const model::CommonRuns &c : common)
        for (int64_t o = 0; o < c.outer.count; ++o)
            for (int64_t n = 0; n < c.inner.count; ++n)
                for (int64_t i = 0; i < c.size; ++i)
                    out.emplace_back(c.a_local + o * c.outer.a_step + n * c.inner.a_step + i,
                                     c.b_local + o * c.outer.b_step + n * c.inner.b_step + i);
    std::sort(out.begin(), out.end());
    return out;
}

std::string text(const model::IndexSet &set) {
    std::string out;
    for (const model::Runs &r : set.lists())
        out +=
            fmt::format("{{{},{},{},{},{},{}}} ", r.global, r.size, r.count, r.global_step, r.local, r.local_step);
    return out;
}

int64_t elements(const std::vector<model::CommonRuns> &common) {
    int64_t n = 0;
    for (const model::CommonRuns &c : common)
        n += c.size * c.outer.count * c.inner.count;
    return n;
}

// The number of repetitions that contain the pair of local indices.
int times_covered(const std::vector<model::CommonRuns> &common, int64_t a_local, int64_t b_local) {
    int times = 0;
    for (const model::CommonRuns &c : common) {
        // Inner steps do not exceed an outer step, so a division finds the only candidate.
        int64_t rest = a_local - c.a_local;
        if (rest < 0)
            continue;
        const int64_t o = c.outer.count == 1 ? 0 : std::min(rest / c.outer.a_step, c.outer.count - 1);
        rest -= o * c.outer.a_step;
        const int64_t n = c.inner.count == 1 ? 0 : std::min(rest / c.inner.a_step, c.inner.count - 1);
        rest -= n * c.inner.a_step;
        if (rest >= c.size)
            continue;
        times += c.b_local + o * c.outer.b_step + n * c.inner.b_step + rest == b_local;
    }
    return times;
}

} // namespace

TEST(IndexSet, the_empty_set) {
    const model::IndexSet none;
    EXPECT_TRUE(none.empty());
    EXPECT_EQ(none.num_runs(), 0);
    EXPECT_EQ(none.first(), 0);
    EXPECT_EQ(none.last(), 0);
    EXPECT_FALSE(none.local_of(0));
    const model::Runs five{0, 5};
    EXPECT_TRUE(model::intersect({}, std::span(&five, 1), 0).empty());
    EXPECT_TRUE(model::intersect(std::span(&five, 1), {}, 0).empty());
}

TEST(IndexSet, queries_agree_with_enumeration) {
    Dice dice(1);
    for (int round = 0; round < rounds(3000); ++round) {
        const model::IndexSet set = random_set(dice, dice.range(1, 4), 7, 9);
        const auto indices = enumerate(set);
        ASSERT_EQ(set.first(), indices.begin()->first) << text(set);
        ASSERT_EQ(set.last(), indices.rbegin()->first + 1) << text(set);
        for (int64_t g = -3; g < set.last() + 3; ++g) {
            const auto at = indices.find(g);
            ASSERT_EQ(set.local_of(g), at == indices.end() ? std::nullopt : std::optional(at->second))
                << text(set) << g;
        }
        int64_t runs = 0;
        for (const model::Runs &r : set.lists())
            runs += r.count;
        ASSERT_EQ(set.num_runs(), runs) << text(set);
    }
}

TEST(Intersection, agrees_with_enumeration) {
    Dice dice(2);
    for (int round = 0; round < rounds(20000); ++round) {
        const int64_t max_size = dice.range(1, 12), max_count = dice.range(1, 40);
        const model::IndexSet a = random_set(dice, dice.range(1, 3), max_size, max_count);
        const model::IndexSet b = random_set(dice, dice.range(1, 3), dice.range(1, 12), dice.range(1, 40));
        const int64_t shift = dice.range(0, 2) == 0 ? 0 : dice.range(-100, 100);
        std::vector<std::pair<int64_t, int64_t>> expected;
        const auto of_b = enumerate(b);
        for (const auto &[global, local] : enumerate(a))
            if (const auto at = of_b.find(global - shift); at != of_b.end())
                expected.emplace_back(local, at->second);
        std::sort(expected.begin(), expected.end());
        ASSERT_EQ(enumerate(model::intersect(a.lists(), b.lists(), shift)), expected)
            << text(a) << " and " << text(b) << " shifted by " << shift;
    }
}

TEST(Intersection, of_huge_lists_counts_and_covers_correctly) {
    Dice dice(3);
    for (int round = 0; round < rounds(400); ++round) {
        // Two periodic lists. Their common period is short enough to walk, their counts are not.
        model::Runs a, b;
        a.size = dice.range(1, 40), b.size = dice.range(1, 40);
        a.global_step = a.size + dice.range(0, 150), b.global_step = b.size + dice.range(0, 150);
        a.local_step = a.size, b.local_step = b.size;
        a.global = dice.range(0, 1000), b.global = dice.range(0, 1000);
        a.count = dice.range(1'000'000'000, 1'000'000'000'000),
        b.count = dice.range(1'000'000'000, 1'000'000'000'000);
        const model::IndexSet set_a({a}), set_b({b});
        const int64_t shift = dice.range(-50'000, 50'000);
        const auto common = model::intersect(set_a.lists(), set_b.lists(), shift);

        const auto in = [](const model::Runs &r, int64_t g) {
            return g >= r.global && g < r.global + (r.count - 1) * r.global_step + r.size &&
                   (g - r.global) % r.global_step < r.size;
        };
        const auto in_both = [&](int64_t g) { return in(a, g) && in(b, g - shift); };
        const int64_t lo = std::max(set_a.first(), set_b.first() + shift);
        const int64_t hi = std::min(set_a.last(), set_b.last() + shift);
        const int64_t period = std::lcm(a.global_step, b.global_step);
        int64_t in_period = 0, in_rest = 0;
        const int64_t rest = (hi - lo) % period;
        for (int64_t g = lo; g < lo + period; ++g) {
            in_period += in_both(g);
            if (g < lo + rest)
                in_rest += in_both(g);
        }
        // Behind the last whole period the pattern starts again, until a list ends in a gap.
        ASSERT_EQ(elements(common), (hi - lo) / period * in_period + in_rest)
            << text(set_a) << " and " << text(set_b) << " shifted by " << shift;
        for (int sample = 0; sample < 300; ++sample) {
            int64_t g = lo + dice.range(0, hi - lo - 1);
            if (sample < 100)
                g = sample % 2 ? lo + sample : hi - 1 - sample;
            const int64_t in_a = (g - a.global) / a.global_step * a.local_step + (g - a.global) % a.global_step;
            const int64_t in_b =
                (g - shift - b.global) / b.global_step * b.local_step + (g - shift - b.global) % b.global_step;
            if (in_both(g)) {
                ASSERT_EQ(times_covered(common, in_a, in_b), 1)
                    << g << " in " << text(set_a) << " and " << text(set_b) << " shifted by " << shift;
            }
        }
        ASSERT_LE(static_cast<int64_t>(common.size()), period / std::max(a.global_step, b.global_step) * 4 + 4);
    }
}

TEST(Intersection, costs_the_same_for_any_count) {
    Dice dice(4);
    for (int round = 0; round < rounds(200); ++round) {
        const int64_t size_a = dice.range(1, 50), size_b = dice.range(1, 50);
        const int64_t step_a = size_a * dice.range(1, 9), step_b = size_b * dice.range(1, 9);
        std::vector<size_t> lists;
        for (int64_t scale : {1, 1000, 1'000'000}) {
            // Both lists end at a multiple of the common period.
            const int64_t n = std::lcm(step_a, step_b) * 3 * scale;
            const model::IndexSet a({model::Runs{0, size_a, n / step_a, step_a, 0, size_a}});
            const model::IndexSet b({model::Runs{0, size_b, n / step_b, step_b, 0, size_b}});
            lists.push_back(model::intersect(a.lists(), b.lists(), 0).size());
        }
        EXPECT_EQ(lists[0], lists[1]) << size_a << "/" << step_a << " and " << size_b << "/" << step_b;
        EXPECT_EQ(lists[0], lists[2]) << size_a << "/" << step_a << " and " << size_b << "/" << step_b;
    }
}

TEST(IndexSet, in_any_local_order_is_found) {
    Dice dice(5);
    for (int round = 0; round < rounds(2000); ++round) {
        // Global indices rise from list to list, local indices follow another order.
        std::vector<model::Runs> lists = random_set(dice, dice.range(1, 6), 5, 4).lists();
        for (size_t i = lists.size(); i > 1; --i)
            std::swap(lists[i - 1], lists[static_cast<size_t>(dice.range(0, static_cast<int64_t>(i) - 1))]);
        int64_t local = 0;
        for (model::Runs &r : lists) {
            r.local = local;
            local += (r.count - 1) * r.local_step + r.size + dice.range(0, 1);
        }
        const model::IndexSet set(lists);
        const auto indices = enumerate(set);
        ASSERT_EQ(set.first(), indices.begin()->first) << text(set);
        ASSERT_EQ(set.last(), indices.rbegin()->first + 1) << text(set);
        for (int64_t g = -3; g < set.last() + 3; ++g)
            ASSERT_EQ(set.local_of(g), indices.contains(g) ? std::optional(indices.at(g)) : std::nullopt)
                << text(set);
    }
}

TEST(Intersection, of_lists_that_share_indices_names_every_pair) {
    Dice dice(6);
    for (int round = 0; round < rounds(5000); ++round) {
        std::vector<model::Runs> sides[2];
        std::vector<std::pair<int64_t, int64_t>> plain[2]; // pairs of global and local index
        for (int side = 0; side < 2; ++side) {
            int64_t local = 0;
            for (int64_t k = dice.range(0, 7); k > 0; --k) {
                model::Runs r{dice.range(0, 40), dice.range(1, 6), dice.range(1, 5), 0, local, 0};
                if (r.count > 1) {
                    r.global_step = dice.range(1, 9); // runs of one list may share indices
                    r.local_step = r.size + dice.range(0, 2);
                }
                local += (r.count - 1) * r.local_step + r.size;
                for (int64_t j = 0; j < r.count; ++j)
                    for (int64_t i = 0; i < r.size; ++i)
                        plain[side].emplace_back(r.global + j * r.global_step + i, r.local + j * r.local_step + i);
                sides[side].push_back(r);
            }
        }
        const int64_t shift = dice.range(-10, 10);
        std::vector<std::pair<int64_t, int64_t>> expected;
        for (const auto &[ga, la] : plain[0])
            for (const auto &[gb, lb] : plain[1])
                if (ga == gb + shift)
                    expected.emplace_back(la, lb);
        std::sort(expected.begin(), expected.end());
        ASSERT_EQ(enumerate(model::intersect(sides[0], sides[1], shift)), expected) << round;
    }
}

TEST(Intersection, of_many_lists_costs_in_proportion_to_their_number) {
    // Interleaved single runs: testing each pair would take minutes.
    constexpr int64_t n = 200'000;
    std::vector<model::Runs> a, b;
    for (int64_t i = 0; i < n; ++i) {
        a.push_back({7 * (n - i), 3, 1, 0, 3 * i, 0});
        b.push_back({7 * i + 2, 3, 1, 0, 3 * i, 0});
    }
    const auto common = model::intersect(a, b, 0);
    EXPECT_EQ(static_cast<int64_t>(common.size()), n - 1);
    EXPECT_EQ(elements(common), n - 1);
}

} // namespace dri::test
