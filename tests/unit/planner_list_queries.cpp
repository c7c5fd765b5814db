// What runs share with lists of indices with overlap, compared with the rows of all parts.
#include "planner/list_queries.hpp"

#include "support/oracle.hpp"
#include "support/random_pieces.hpp"
#include "support/sanitizer.hpp"

#include <gtest/gtest.h>

#include <map>

namespace dri::test {

namespace {

using PartIndex = std::pair<int64_t, int64_t>; // part and local index

// Maps each shared element to the local index in the run.
std::map<PartIndex, int64_t> locals_of(const model::Cut &cut, const planner::QueryRun &run, bool owned) {
    std::map<PartIndex, int64_t> locals;
    const auto note = [&](int64_t part, const model::CommonRuns &c) {
        for (int64_t o = 0; o < c.outer.count; ++o)
            for (int64_t i = 0; i < c.inner.count; ++i)
                for (int64_t k = 0; k < c.size; ++k) {
                    const PartIndex there{part, c.b_local + o * c.outer.b_step + i * c.inner.b_step + k};
                    const int64_t here = c.a_local + o * c.outer.a_step + i * c.inner.a_step + k;
                    EXPECT_TRUE(locals.emplace(there, here).second)
                        << "offset " << there.second << " occurs twice";
                }
    };
    owned ? planner::find_owned(cut, run, note) : planner::find_shown(cut, run, note);
    return locals;
}

} // namespace

TEST(ListQueries, agree_with_the_rows) {
    Dice dice(21);
    for (int round = 0; round < rounds(4000); ++round) {
        const int64_t n = dice.range(1, 14), parts = dice.range(1, 4);
        model::CutRule rule;
        rule.kind = model::CutKind::indices;
        rule.lists = random_lists(dice, n, parts, dice.chance(30));
        rule.overlap = random_overlap(dice, n);
        const model::Cut cut(rule, n, parts, 0);
        planner::QueryRun run;
        run.lo = dice.range(0, n - 1);
        run.hi = dice.range(run.lo + 1, n);
        run.local = dice.range(0, 100);
        std::map<PartIndex, int64_t> shown, owned;
        for (int64_t c = 0; c < parts; ++c) {
            std::vector<std::pair<int64_t, int64_t>> blocks;
            for (const int64_t i : listed(rule.lists[static_cast<size_t>(c)]))
                blocks.emplace_back(i, i + 1);
            const ShownRow row = plain_row(blocks, n, rule.overlap);
            for (size_t i = 0; i < row.index.size(); ++i) {
                if (row.index[i] < run.lo || row.index[i] >= run.hi)
                    continue;
                const PartIndex at{c, static_cast<int64_t>(i)};
                shown.emplace(at, run.local + row.index[i] - run.lo);
                if (row.owned[i])
                    owned.emplace(at, run.local + row.index[i] - run.lo);
            }
        }
        ASSERT_EQ(locals_of(cut, run, false), shown) << model::to_text(rule, parts) << " of " << n;
        ASSERT_EQ(locals_of(cut, run, true), owned) << model::to_text(rule, parts) << " of " << n;
    }
}

} // namespace dri::test
