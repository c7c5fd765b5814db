// Lists that are given as runs: the same as their indices written out, and as cheap as their runs.
#include "model/axis_view.hpp"
#include "model/index_lists.hpp"
#include "model/tiling.hpp"
#include "planner/planner.hpp"

#include "support/dice.hpp"
#include "support/oracle.hpp"
#include "support/plan_check.hpp"
#include "support/sanitizer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace dri::test {

namespace {

using List = std::vector<int64_t>;

List written_out(const std::vector<model::Runs> &runs) {
    List out;
    for (const model::Runs &r : runs)
        for (int64_t k = 0; k < r.count; ++k)
            for (int64_t i = 0; i < r.size; ++i)
                out.push_back(r.global + k * r.global_step + i);
    return out;
}

// Lists of several parts. Along a period each stretch of indices belongs to one part, which lists its stretches in
// any order. The runs of its lists therefore alternate with each other.
std::vector<model::IndexList> alternating(Dice &dice, int64_t parts, int64_t periods) {
    const int64_t period = dice.range(1, 12);
    std::vector<std::vector<model::Runs>> runs(at(parts));
    for (int64_t from = 0, size; from < period; from += size) {
        size = dice.range(1, period - from);
        runs[at(dice.range(0, parts - 1))].push_back(
            {from, size, periods, periods > 1 && size < period ? period : size, 0, 0});
    }
    std::vector<model::IndexList> lists;
    for (auto &own : runs) {
        dice.shuffle(own);
        lists.push_back(model::join(own));
    }
    return lists;
}

// How often each of n indices occurs, and in which parts.
std::vector<List> named_by(const std::vector<model::IndexList> &lists, int64_t n) {
    std::vector<List> out(at(n));
    for (size_t c = 0; c < lists.size(); ++c)
        for (const int64_t i : listed(lists[c]))
            out[at(i)].push_back(static_cast<int64_t>(c));
    return out;
}

} // namespace

TEST(Runs, are_joined_as_their_indices_are) {
    Dice dice(21);
    for (int round = 0; round < rounds(5000); ++round) {
        std::vector<model::Runs> runs;
        for (int64_t k = dice.range(0, 6); k > 0; --k) {
            const int64_t count = dice.range(1, 5), step = dice.range(-4, 6);
            const List all = written_out(runs);
            const int64_t next =
                all.empty() || dice.chance(50) ? dice.range(0, 20) : all.back() + dice.range(1, 3);
            runs.push_back({next + std::max<int64_t>(0, -step * (count - 1)), dice.range(1, 4), count,
                            count > 1 ? step : 0, 0, 0});
        }
        const List all = written_out(runs);
        EXPECT_EQ(model::join(runs), model::compress(all)) << fmt::format("{}", fmt::join(all, " "));
    }
}

TEST(Runs, have_the_first_common_index_that_a_walk_finds) {
    Dice dice(25);
    for (int round = 0; round < rounds(5000); ++round) {
        std::vector<model::Runs> lists;
        std::map<int64_t, int64_t> times;
        for (int64_t k = dice.range(0, 4); k > 0; --k) {
            const int64_t size = dice.range(1, 5), count = dice.range(1, 7);
            const int64_t step = size + dice.one_of<int64_t>({1, 2, 7, 12 - size});
            lists.push_back({dice.range(0, 60), size, count, count > 1 ? step : 0, 0, count > 1 ? size : 0});
            for (const int64_t i : written_out({lists.back()}))
                ++times[i];
        }
        const auto twice = std::find_if(times.begin(), times.end(), [](const auto &t) { return t.second > 1; });
        EXPECT_EQ(model::first_common(lists), twice == times.end() ? std::nullopt : std::optional(twice->first));
    }
}

TEST(Runs, that_alternate_are_found_and_checked_as_a_walk_does) {
    Dice dice(22);
    for (int round = 0; round < rounds(1500); ++round) {
        const int64_t parts = dice.range(1, 4), periods = dice.range(1, 40);
        auto lists = alternating(dice, parts, periods);
        int64_t n = 0;
        for (const model::IndexList &list : lists)
            n += model::length(list);
        if (dice.chance(40)) { // a list of runs less, or one twice
            auto &list = lists[at(dice.range(0, parts - 1))];
            const auto &other = lists[at(dice.range(0, parts - 1))];
            std::vector<model::Runs> runs(list.begin(), list.end());
            if (!runs.empty() && dice.chance(50))
                runs.pop_back();
            else if (!other.empty())
                runs.push_back(other.back());
            list = model::join(runs);
        }
        const auto named = named_by(lists, n);
        const model::IndexedParts indexed(lists, n, {});
        for (int64_t i = 0; i < n; ++i) {
            List owners = named[at(i)];
            owners.erase(std::unique(owners.begin(), owners.end()), owners.end());
            EXPECT_EQ(indexed.owners(i, i + 1), owners);
            EXPECT_EQ(indexed.first_owner(i), owners.empty() ? std::nullopt : std::optional(owners[0]));
        }
        for (int repeat = 0; repeat < 4 && n > 0; ++repeat) {
            const int64_t lo = dice.range(0, n - 1), hi = dice.range(lo + 1, std::min(n, lo + 40));
            List meeting;
            for (int64_t k = lo; k < hi; ++k)
                meeting.insert(meeting.end(), named[at(k)].begin(), named[at(k)].end());
            std::sort(meeting.begin(), meeting.end());
            meeting.erase(std::unique(meeting.begin(), meeting.end()), meeting.end());
            EXPECT_EQ(indexed.owners(lo, hi), meeting);
        }
        for (int64_t c = 0; c < parts; ++c) {
            const List all = listed(lists[at(c)]);
            List shown(all.size(), -1);
            for (const auto &set : {indexed.part(c).firsts().lists(), indexed.part(c).repeats()})
                for (const model::Runs &r : set)
                    for (int64_t k = 0; k < r.count; ++k)
                        for (int64_t i = 0; i < r.size; ++i)
                            shown[at(r.local + k * r.local_step + i)] = r.global + k * r.global_step + i;
            EXPECT_EQ(shown, all);
            for (int64_t i = 0; i < n; ++i) {
                const auto first = std::find(all.begin(), all.end(), i);
                EXPECT_EQ(indexed.part(c).firsts().local_of(i),
                          first == all.end() ? std::nullopt : std::optional<int64_t>(first - all.begin()));
            }
            EXPECT_EQ(indexed.part(c).firsts().last(), indexed.part(c).end());
        }
        const auto wrong = std::find_if(named.begin(), named.end(), [](const List &by) { return by.size() != 1; });
        const auto fault = indexed.find_fault();
        ASSERT_EQ(fault.has_value(), wrong != named.end());
        if (!fault)
            continue;
        EXPECT_EQ(fault->index, wrong - named.begin());
        EXPECT_EQ(fault->first, wrong->empty() ? -1 : (*wrong)[0]);
        EXPECT_EQ(fault->second, wrong->empty() ? -1 : (*wrong)[1]);
    }
}

// Each index is a block with its overlap, which the edges of the array cut off.
TEST(Runs, have_overlap_around_each_index) {
    Dice dice(23);
    for (int round = 0; round < rounds(600); ++round) {
        const auto lists = alternating(dice, 2, dice.range(1, 6));
        const int64_t n = model::length(lists[0]) + model::length(lists[1]);
        const auto edge = [&] {
            return dice.one_of({model::Edge::truncate, model::Edge::truncate, model::Edge::wrap});
        };
        const model::Overlap overlap =
            model::clipped({dice.range(0, 2 * n), dice.range(0, 2 * n), edge(), edge()}, n);
        const model::IndexedPart part(lists[0], n, overlap);
        const model::AxisView view = model::AxisView::indexed(n, overlap, part);
        int64_t local = 0, block = 0;
        for (const int64_t i : listed(lists[0])) {
            local += overlap.left_edge == model::Edge::truncate ? std::min(overlap.left, i) : overlap.left;
            EXPECT_EQ(view.block(block++).local, local++);
            local +=
                overlap.right_edge == model::Edge::truncate ? std::min(overlap.right, n - 1 - i) : overlap.right;
        }
        EXPECT_EQ(view.extent(), local);
    }
}

namespace {

// 10^15 indices of four parts. Part c has every fourth index from c on; the odd parts list the second half first.
constexpr int64_t huge = 1'000'000'000'000'000;

model::CutRule huge_rule() {
    model::CutRule rule{.kind = model::CutKind::indices, .nparts = 4};
    for (int64_t c = 0; c < 4; ++c) {
        std::vector<model::Runs> runs{{c, 1, huge / 4, 4, 0, 0}};
        if (c % 2 == 1)
            runs = {{c + huge / 2, 1, huge / 8, 4, 0, 0}, {c, 1, huge / 8, 4, 0, 0}};
        rule.lists.push_back(model::join(runs));
    }
    return rule;
}

} // namespace

TEST(Runs, plan_without_a_look_at_each_index) {
    TransferCase c = from_line(fmt::format("4B [{}] cyclic(4,1) rm over 0-3 -> block(4) rm over 0-3", huge));
    c.message_bytes = c.chunk_bytes = INT64_MAX;
    c.source.rules[0] = huge_rule();
    const planner::Side source = make_side(c, c.source), sink = make_side(c, c.sink);
    EXPECT_TRUE(model::tiles(*source.dist));
    for (const int64_t index : {int64_t{0}, huge / 3, huge - 1})
        EXPECT_EQ(source.dist->owner_part(std::span(&index, 1)), index % 4);
    EXPECT_LT(source.dist->wire().size(), 2000u);
    std::vector<plan::Plan> plans;
    std::vector<BufferBytes> buffers;
    for (int rank = 0; rank < 4; ++rank) {
        plans.push_back(planner::make_plan(source, sink, c.options(), rank));
        buffers.push_back({planner::buffer_bytes(source, rank), planner::buffer_bytes(sink, rank)});
        for (const auto *messages : {&plans.back().sends, &plans.back().receives})
            for (const plan::Message &m : *messages)
                EXPECT_LE(m.copies.size(), 2u);
    }
    EXPECT_EQ(check_plans(plans, buffers), "");
}

TEST(Runs, alternate_without_a_look_at_each_index) {
    // Part 0 has two of three indices, all that are 1 modulo 3 before all that are 0. Part 1 has the others.
    constexpr int64_t n = huge - 1; // 3 divides it
    model::CutRule rule{.kind = model::CutKind::indices, .nparts = 2};
    const std::vector<model::Runs> first{{1, 1, n / 3, 3, 0, 0}, {0, 1, n / 3, 3, 0, 0}},
        second{{2, 1, n / 3, 3, 0, 0}};
    rule.lists = {model::join(first), model::join(second)};
    const model::Cut cut(rule, n, 2, 0);
    EXPECT_FALSE(cut.indexed()->scattered());
    EXPECT_FALSE(cut.indexed()->find_fault());
    EXPECT_EQ(cut.part(0).lists().size(), 2u);
    EXPECT_EQ(cut.part(0).local_of(n - 2), n / 3 - 1);
    EXPECT_EQ(cut.part(0).local_of(3), n / 3 + 1);
    EXPECT_EQ(cut.part(0).local_of(5), std::nullopt);
    EXPECT_EQ(cut.owner(n - 1), 1);
    EXPECT_EQ(cut.owners(5, 7), (List{0, 1}));
    rule.lists[1] = model::join(std::vector<model::Runs>{{2, 1, n / 3 - 1, 3, 0, 0}, {7, 1, 1, 0, 0, 0}});
    const auto fault = model::Cut(rule, n, 2, 0).indexed()->find_fault();
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->index, 7);
    EXPECT_EQ(fault->first, 0);
    EXPECT_EQ(fault->second, 1);
    rule.lists[1] = model::join(std::vector<model::Runs>{{2, 1, n / 3 - 1, 3, 0, 0}});
    const auto gap = model::Cut(rule, n, 2, 0).indexed()->find_fault();
    ASSERT_TRUE(gap);
    EXPECT_EQ(gap->index, n - 1);
    EXPECT_EQ(gap->first, -1);
}

// 2000 runs of each of two parts, dealt at random: the runs are compared by their places in the period alone.
TEST(Runs, that_are_many_alternate_as_well) {
    constexpr int64_t period = 6000, periods = 1'000'000'000;
    Dice dice(24);
    std::vector<model::Runs> runs;
    for (int64_t from = 0; from < period; from += 3) {
        runs.push_back({from, 2, periods, period, 0, 0});
        runs.push_back({from + 2, 1, periods, period, 0, 0});
    }
    dice.shuffle(runs);
    model::CutRule rule{.kind = model::CutKind::indices, .nparts = 2};
    rule.lists = {model::join(std::span(runs).first(2000)), model::join(std::span(runs).subspan(2000))};
    const model::Cut cut(rule, period * periods, 2, 0);
    EXPECT_FALSE(cut.indexed()->find_fault());
    EXPECT_EQ(cut.part(0).lists().size() + cut.part(1).lists().size(), 4000u);
    const int64_t index = runs[17].global + 123'456'789 * period;
    EXPECT_EQ(cut.owner(index), 0);
    int64_t before = 0;
    for (size_t i = 0; i < 17; ++i)
        before += runs[i].size * periods;
    EXPECT_EQ(cut.part(0).local_of(index), before + 123'456'789 * runs[17].size);
    const model::Runs twice = runs.back();
    runs.push_back({twice.global + twice.size - 1 + 5 * period, 1, 1, 0, 0, 0});
    rule.lists[0] = model::join(std::vector<model::Runs>{runs.back()});
    const auto fault = model::Cut(rule, period * periods, 2, 0).indexed()->find_fault();
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->first, -1) << "the runs of the first part are missing";
    EXPECT_EQ(model::first_common(std::vector<model::Runs>{twice, runs.back()}), runs.back().global);
}

} // namespace dri::test
