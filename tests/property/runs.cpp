// Transfers between lists whose runs alternate: each process has several runs of equal stretches, as maps deal
// them.
#include "run_property.hpp"
#include "support/dice.hpp"
#include "support/oracle_in_place.hpp"

#include <algorithm>

namespace dri::test {

constexpr int run_cases = 400;

namespace {

// A list for each part. Along a period each stretch belongs to one part, which lists its stretches in any order.
std::vector<model::IndexList> dealt(Dice &dice, int64_t period, int64_t periods, int64_t parts) {
    std::vector<std::vector<model::Runs>> runs(static_cast<size_t>(parts));
    for (int64_t from = 0, size; from < period; from += size) {
        size = dice.range(1, std::min<int64_t>(period - from, 3));
        runs[static_cast<size_t>(dice.range(0, parts - 1))].push_back({from, size, periods, period, 0, 0});
    }
    std::vector<model::IndexList> lists;
    for (auto &own : runs) {
        dice.shuffle(own);
        lists.push_back(model::join(own));
    }
    return lists;
}

} // namespace

TEST(RandomTransfers, of_alternating_runs_place_every_element) {
    Dice dice(31);
    for (int round = 0; round < rounds(run_cases); ++round) {
        const int64_t period = dice.range(4, 9), periods = dice.range(2, 12), n = period * periods;
        const int64_t from = dice.range(1, 3), to = dice.range(1, 3);
        const char *cut = dice.one_of({"block({})", "cyclic({},1)", "cyclic({},4)", "block({})<2w:1>"});
        TransferCase c = from_line(fmt::format("4B [{},2] {},* rm over 0-{} -> {},* 10 over 0-{}", n,
                                               fmt::format(fmt::runtime(cut), from), from - 1,
                                               fmt::format(fmt::runtime(cut), to), to - 1));
        c.source.rules[0].overlap = {};
        for (SideSpec *side : {&c.source, &c.sink}) {
            model::CutRule &rule = side->rules[0];
            if (side == &c.sink && dice.chance(50))
                continue;
            const model::Overlap overlap = rule.overlap;
            rule = {.kind = model::CutKind::indices, .nparts = rule.nparts};
            rule.overlap = overlap;
            rule.lists = dealt(dice, period, periods, rule.nparts);
        }
        ASSERT_EQ(find_fault_in_any_mode(c), "") << to_line(c);
    }
}

} // namespace dri::test
