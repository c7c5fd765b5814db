// Compares the chosen grid with all possible grids.
#include "model/grid.hpp"

#include "model/cut.hpp"
#include "model_refusal.hpp"
#include "support/dice.hpp"
#include "support/oracle.hpp"
#include "support/sanitizer.hpp"

#include <algorithm>

namespace dri::test {

namespace {

model::CutRule rule_of(model::CutKind kind, int64_t nparts, int64_t block = 0) {
    model::CutRule rule;
    rule.kind = kind;
    rule.nparts = nparts;
    rule.block = block;
    return rule;
}

model::CutRule open_block() { return rule_of(model::CutKind::block, 0); }

// The criteria: parts without elements, elements of the largest part, and its faces that touch a neighbour.
struct Price {
    int64_t empty = 0, volume = 1, surface = 0;
    Dims grid;
};

// The oracle's sizes if the interface fixes them. Constraints leave a choice of sizes, which the tests of cuts
// check.
std::vector<int64_t> sizes_along(const model::CutRule &rule, int64_t size, int64_t parts) {
    if (rule.min == 0 && rule.max == 0 && rule.multiple <= 1)
        return part_sizes(plain_owners(rule, size, parts), parts);
    const model::Cut cut(rule, size, parts, 0);
    std::vector<int64_t> sizes;
    for (int64_t c = 0; c < parts; ++c)
        sizes.push_back(cut.axis_view(c).owned());
    return sizes;
}

Price price(const SideSpec &spec, const Dims &grid) {
    Price p;
    p.grid = grid;
    std::vector<int64_t> largest;
    int64_t parts = 1, filled = 1;
    for (size_t d = 0; d < grid.size(); ++d) {
        const auto sizes = sizes_along(spec.rules[d], spec.sizes[d], grid[d]);
        largest.push_back(*std::max_element(sizes.begin(), sizes.end()));
        p.volume *= largest.back();
        parts *= grid[d];
        filled *= std::ssize(sizes) - std::count(sizes.begin(), sizes.end(), 0);
    }
    p.empty = parts - filled;
    for (size_t d = 0; d < grid.size(); ++d) {
        int64_t face = largest[d] > 0 ? std::min<int64_t>(grid[d] - 1, 2) : 0;
        for (size_t e = 0; e < grid.size(); ++e)
            if (e != d)
                face *= largest[e];
        p.surface += face;
    }
    return p;
}

// The rule of the interface: fewest empty parts, then a volume within a 16th of the minimum, then the smallest
// surface, then more parts in the first dimensions.
Dims best_of(const SideSpec &spec) {
    std::vector<Price> prices;
    for (const Dims &grid : legal_grids(spec))
        prices.push_back(price(spec, grid));
    const auto keep_min = [&](auto value, auto allowed) {
        int64_t min = INT64_MAX;
        for (const Price &p : prices)
            min = std::min(min, value(p));
        std::erase_if(prices, [&](const Price &p) { return !allowed(value(p), min); });
    };
    const auto equal = [](int64_t value, int64_t min) { return value == min; };
    keep_min([](const Price &p) { return p.empty; }, equal);
    keep_min([](const Price &p) { return p.volume; },
             [](int64_t value, int64_t min) { return (value - min) * 16 <= min; });
    keep_min([](const Price &p) { return p.surface; }, equal);
    return std::max_element(prices.begin(), prices.end(),
                            [](const Price &a, const Price &b) {
                                return std::lexicographical_compare(a.grid.begin(), a.grid.end(), b.grid.begin(),
                                                                    b.grid.end());
                            })
        ->grid;
}

// Expects that the message names the first dimension that cannot be cut alone. If every one can, it must say so.
void expect_culprit(const SideSpec &spec, const std::string &words) {
    const auto procs = std::ssize(spec.ranks);
    std::vector<std::string> culprits;
    for (size_t d = 0; d < spec.rules.size(); ++d) {
        bool can = false;
        for (int64_t n = 1; n <= procs; ++n)
            can = can || (procs % n == 0 && (n == 1 || spec.rules[d].chooses_parts()) &&
                          can_be_cut(spec.rules[d], spec.sizes[d], n));
        if (!can)
            culprits.push_back(fmt::format("dimension {}: ", d));
    }
    EXPECT_EQ(culprits.empty(), words.find("suits all dimensions") != std::string::npos) << words;
    EXPECT_TRUE(culprits.empty() || words.starts_with(culprits.front())) << words;
}

} // namespace

TEST(Grid, is_the_best_of_all) {
    Dice dice(3);
    int constrained = 0;
    for (int round = 0; round < rounds(3000); ++round) {
        SideSpec spec;
        int64_t fixed = 1;
        bool open = false;
        for (int64_t d = dice.range(1, 4); d > 0; --d) {
            spec.sizes.push_back(dice.range(0, 3) ? dice.range(0, 20) : dice.range(15, 70));
            model::CutRule rule;
            const int64_t kind = dice.range(0, 4);
            if (kind == 1)
                rule = rule_of(model::CutKind::block, dice.range(1, 3));
            if (kind >= 2)
                rule = kind == 4 ? rule_of(model::CutKind::block_cyclic, 0, dice.range(1, 5)) : open_block();
            rule.phase = rule.block % 3; // only some numbers of parts are larger
            if (rule.kind == model::CutKind::block)
                rule.remainder = static_cast<model::Remainder>(dice.range(0, 3));
            if (rule.kind != model::CutKind::whole && dice.chance(20)) {
                rule.min = dice.range(0, 4);
                rule.max = dice.range(0, 1) * (rule.min + dice.range(1, 30));
                rule.multiple = dice.range(0, 4);
            }
            fixed *= rule.fixed_parts();
            open = open || rule.chooses_parts();
            spec.rules.push_back(rule);
        }
        const auto procs = static_cast<int>(fixed * dice.range(1, 24));
        spec.ranks.resize(static_cast<size_t>(procs));
        if (legal_grids(spec).empty())
            continue;
        constrained += std::any_of(spec.rules.begin(), spec.rules.end(), [](const model::CutRule &r) {
            return r.min > 0 || r.max > 0 || r.multiple > 1;
        });
        const Dims best = open ? best_of(spec) : legal_grids(spec).front();
        ASSERT_EQ(model::to_text(model::choose_grid(spec.rules, spec.sizes, procs)), model::to_text(best))
            << model::to_text(spec.sizes) << " over " << procs;
    }
    EXPECT_GT(constrained, rounds(500));
}

TEST(Grid, exists_if_the_constraints_allow_one) {
    Dice dice(4);
    int refused = 0;
    for (int round = 0; round < rounds(2000); ++round) {
        SideSpec spec;
        for (int64_t d = dice.range(1, 3); d > 0; --d) {
            spec.sizes.push_back(dice.range(0, 15));
            model::CutRule rule =
                d == 1 && !spec.rules.empty() && dice.range(0, 1) ? model::CutRule{} : open_block();
            rule.min = dice.range(0, 5);
            rule.max = dice.range(0, 1) * (rule.min + dice.range(0, 5));
            rule.multiple = dice.range(0, 3);
            spec.rules.push_back(rule);
        }
        const auto procs = static_cast<int>(dice.range(1, 12));
        spec.ranks.resize(static_cast<size_t>(procs));
        const auto grids = legal_grids(spec);
        try {
            const Dims grid = model::choose_grid(spec.rules, spec.sizes, procs);
            ASSERT_NE(std::find(grids.begin(), grids.end(), grid), grids.end())
                << model::to_text(grid) << " for " << model::to_text(spec.sizes) << " over " << procs;
        } catch (const Error &e) {
            ASSERT_EQ(e.code(), DRI_ERR_CONSTRAINT);
            ASSERT_TRUE(grids.empty()) << e.what();
            ++refused;
            expect_culprit(spec, e.what());
        }
    }
    EXPECT_GT(refused, rounds(100));
}

TEST(Grid, of_cubes_and_slabs) {
    const model::Partition open(3, open_block());
    const auto grid = [](const model::Partition &partition, const Dims &sizes, int procs) {
        return model::to_text(model::choose_grid(partition, sizes, procs));
    };
    EXPECT_EQ(grid(open, Dims{64, 64, 64}, 8), "[2,2,2]");
    EXPECT_EQ(grid(open, Dims{64, 64, 64}, 4), "[2,2,1]");
    EXPECT_EQ(grid(open, Dims{64, 64, 64}, 27), "[3,3,3]");
    EXPECT_EQ(grid(open, Dims{1, 1000, 4}, 7), "[1,7,1]");
    EXPECT_EQ(grid(open, Dims{64, 64, 64}, 1), "[1,1,1]");
    EXPECT_EQ(grid({open_block(), model::CutRule{}}, Dims{3, 100}, 5), "[5,1]");
    EXPECT_EQ(grid({open_block(), open_block()}, Dims{4096, 4096}, 4), "[2,2]");
    EXPECT_EQ(grid({open_block(), open_block()}, Dims{1024, 16384}, 4), "[1,4]");
    EXPECT_EQ(grid({}, Dims{}, 6), "[]");
    // One row more or less does not turn the grid into slabs.
    EXPECT_EQ(grid({open_block(), open_block()}, Dims{1000001, 1000000}, 4), "[2,2]");
    EXPECT_EQ(grid({open_block(), open_block()}, Dims{1000000, 1000001}, 4), "[2,2]");
    EXPECT_EQ(grid(open, Dims{1025, 1025, 1025}, 64), "[4,4,4]");
    // Parts without elements count first: 6 x 6 would leave 11 empty parts, with an equally large largest part.
    model::CutRule ceil = open_block();
    ceil.remainder = model::Remainder::ceil;
    EXPECT_EQ(grid({ceil, ceil}, Dims{10, 10}, 36), "[12,3]");
    // Products that exceed 64 bits are valid if another size is 0.
    EXPECT_EQ(grid(open, Dims{INT64_MAX, INT64_MAX, 0}, 4), "[4,1,1]");
}

TEST(Grid, wrong_numbers_of_processes_are_refused) {
    expect_refusal(DRI_ERR_ARG, {"[2,3]", "5"}, [] {
        model::choose_grid({rule_of(model::CutKind::block, 2), rule_of(model::CutKind::block, 3)}, Dims{8, 8}, 5);
    });
    expect_refusal(DRI_ERR_ARG, {"7", "6"}, [] {
        model::choose_grid({rule_of(model::CutKind::block, 2), rule_of(model::CutKind::block, 3)}, Dims{8, 8}, 7);
    });
    expect_refusal(DRI_ERR_ARG, {"5", "2"}, [] {
        model::choose_grid({rule_of(model::CutKind::block, 2), open_block()}, Dims{8, 8}, 5);
    });
    model::CutRule tight = open_block();
    tight.max = 2;
    expect_refusal(DRI_ERR_CONSTRAINT, {"dimension 0", "9", "at most 2"},
                   [&] { model::choose_grid({tight}, Dims{9}, 4); });
}

TEST(Grid, without_solution_is_refused_with_dimension_and_shortfall) {
    model::CutRule fours = open_block();
    fours.min = fours.max = 4;
    // The first dimension can be cut. The message names the second one and its nearest possible sizes.
    expect_refusal(DRI_ERR_CONSTRAINT,
                   {"dimension 1", "7 elements", "exactly 4", "3 too few", "2 must hold at least 8", "1 too many"},
                   [&] {
                       model::choose_grid({open_block(), fours}, Dims{10, 7}, 4);
                   });
    model::CutRule few = open_block();
    few.max = 2;
    expect_refusal(DRI_ERR_CONSTRAINT,
                   {"dimension 0", "10 elements", "at most 2", "4 of them hold at most 8", "2 too few"}, [&] {
                       model::choose_grid({few, model::CutRule{}}, Dims{10, 7}, 4);
                   });
    model::CutRule pairs = open_block();
    pairs.min = pairs.max = 3;
    pairs.multiple = 2;
    expect_refusal(DRI_ERR_CONSTRAINT, {"dimension 0", "only the last one"},
                   [&] { model::choose_grid({pairs}, Dims{7}, 4); });
}

TEST(Grid, that_needs_too_many_parts_is_refused_with_the_need_of_each_dimension) {
    model::CutRule nines = open_block(), fours = open_block();
    nines.max = 9;
    fours.max = 4;
    expect_refusal(
        DRI_ERR_CONSTRAINT,
        {"dimension 1: 12 elements cannot be cut into 1 part with at most 4: it holds at most 4, 8 too few",
         "(in a grid of [3,1,1])", "no grid of 3 parts suits all dimensions",
         "parts that suit them: 3 for dimension 0, 3 for dimension 1"},
        [&] {
            model::choose_grid({nines, fours, open_block()}, Dims{17, 12, 8}, 3);
        });
    // The last dimension is the culprit, although no grid gets as far as cutting it.
    model::CutRule whole;
    whole.max = 5;
    expect_refusal(DRI_ERR_CONSTRAINT, {"dimension 2: part 0 of 1 has 6", "at most 5: 1 too many"}, [&] {
        model::choose_grid({nines, fours, whole}, Dims{17, 12, 6}, 3);
    });
}

} // namespace dri::test
