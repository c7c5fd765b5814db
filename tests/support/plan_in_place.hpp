// Plans in place of case lines, and what they cost.
#pragma once

#include "plan/in_place.hpp"
#include "planner/planner.hpp"

#include "support/dice.hpp"
#include "support/oracle_run.hpp"
#include "support/random_case.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace dri::test {

// Messages are not cut unless message_bytes says so: that would make more of them.
inline plan::Plan plan_in_place(const std::string &line, int rank, bool arranges,
                                int64_t message_bytes = INT64_MAX) {
    const TransferCase c = from_line(line);
    planner::PlanOptions options = c.options();
    options.in_place = true;
    options.compact = arranges;
    options.message_bytes = message_bytes;
    return planner::make_plan(make_side(c, c.source), make_side(c, c.sink), options, rank);
}

// The workspace of a plan: its sends under way, and one message received.
inline int64_t bytes_at_once(const plan::Plan &plan) {
    int64_t longest = 0;
    for (const auto *messages : {&plan.sends, &plan.receives})
        for (const plan::Message &m : *messages)
            longest = std::max(longest, m.bytes);
    return (plan.in_place->sends_at_once + 1) * longest;
}

// Each index in the list of a random part, in rising order or shuffled: "idx(0:3:4|1:2)". kept: starts of runs
// that belong to the first part, while the indices just before and behind them belong to the last part.
inline std::string dealt_lists(Dice &dice, int64_t n, int64_t parts, bool rising,
                               const std::vector<int64_t> &kept = {}) {
    constexpr int64_t run = 30;
    std::vector<std::vector<int64_t>> lists(static_cast<size_t>(parts));
    for (int64_t i = 0; i < n; ++i) {
        int64_t part = dice.range(0, parts - 1);
        for (const int64_t begin : kept)
            if (i >= begin - 1 && i <= begin + run)
                part = i >= begin && i < begin + run ? 0 : parts - 1;
        lists[static_cast<size_t>(part)].push_back(i);
    }
    std::vector<std::string> texts;
    for (std::vector<int64_t> &list : lists) {
        if (!rising)
            dice.shuffle(list);
        texts.push_back(fmt::format("{}", fmt::join(list, ":")));
    }
    return fmt::format("idx({})", fmt::join(texts, "|"));
}

} // namespace dri::test
