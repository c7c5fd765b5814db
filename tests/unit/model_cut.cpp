// Cuts against an owner per index, by brute force.
#include "model/cut.hpp"

#include "model_refusal.hpp"
#include "support/oracle.hpp"
#include "support/sanitizer.hpp"

#include <numeric>
#include <random>
#include <set>
#include <tuple>

namespace dri::test {

namespace {

using Sizes = std::vector<int64_t>;

model::CutRule block_rule(model::Remainder remainder, int64_t min = 0, int64_t max = 0, int64_t multiple = 0) {
    model::CutRule rule;
    rule.kind = model::CutKind::block;
    rule.remainder = remainder;
    rule.min = min;
    rule.max = max;
    rule.multiple = multiple;
    return rule;
}

model::CutRule cyclic_rule(int64_t block) {
    model::CutRule rule;
    rule.kind = model::CutKind::block_cyclic;
    rule.block = block;
    return rule;
}

model::CutRule sizes_rule(Sizes sizes) {
    model::CutRule rule;
    rule.kind = model::CutKind::sizes;
    rule.nparts = static_cast<int64_t>(sizes.size());
    rule.sizes = std::move(sizes);
    return rule;
}

// Each size takes ten times as long under sanitizers, so they use every fourth size only.
const int64_t step = sanitized ? 4 : 1;

constexpr model::Remainder remainders[] = {model::Remainder::balanced, model::Remainder::balanced_last,
                                           model::Remainder::ceil, model::Remainder::proportional};

Sizes sizes_of(const model::Cut &cut) {
    Sizes sizes;
    for (int64_t c = 0; c < cut.nparts(); ++c)
        sizes.push_back(cut.axis_view(c).owned());
    return sizes;
}

Sizes cut_sizes(const model::CutRule &rule, int64_t size, int64_t parts) {
    return sizes_of(model::Cut(rule, size, parts, 0));
}

// Compares every query of the cut with the owner of each index.
void expect_owners(const model::Cut &cut, const std::vector<int64_t> &owners, const std::string &name) {
    const auto n = static_cast<int64_t>(owners.size());
    const Sizes sizes = part_sizes(owners, cut.nparts());
    ASSERT_EQ(sizes_of(cut), sizes) << name;
    EXPECT_EQ(cut.largest(), *std::max_element(sizes.begin(), sizes.end())) << name;
    EXPECT_EQ(cut.filled(), std::ssize(sizes) - std::count(sizes.begin(), sizes.end(), 0)) << name;
    std::vector<int64_t> next(sizes.size(), 0); // local index of the next element of each part
    std::vector<model::IndexSet> parts;
    for (int64_t c = 0; c < cut.nparts(); ++c)
        parts.push_back(cut.part(c));
    int64_t start = 0; // empty blocks lie between the others
    for (int64_t c = 0; c < cut.nparts() && cut.contiguous(); ++c) {
        EXPECT_EQ(cut.axis_view(c).bounds().global, start) << name << ", part " << c;
        start += sizes[static_cast<size_t>(c)];
    }
    for (int64_t i = 0; i < n; ++i) {
        const int64_t owner = owners[static_cast<size_t>(i)];
        ASSERT_EQ(cut.owner(i), owner) << name << ", index " << i;
        for (int64_t c = 0; c < cut.nparts(); ++c) {
            const auto local = parts[static_cast<size_t>(c)].local_of(i);
            ASSERT_EQ(local.has_value(), c == owner) << name << ", index " << i << ", part " << c;
        }
        const int64_t local = next[static_cast<size_t>(owner)]++;
        ASSERT_EQ(parts[static_cast<size_t>(owner)].local_of(i), local) << name << ", index " << i;
    }
    for (int64_t lo = 0; lo < n; ++lo) {
        std::set<int64_t> needed;
        for (int64_t hi = lo + 1; hi <= n; ++hi) {
            needed.insert(owners[static_cast<size_t>(hi - 1)]);
            const auto named = cut.owners(lo, hi);
            ASSERT_TRUE(std::is_sorted(named.begin(), named.end())) << name;
            ASSERT_TRUE(std::adjacent_find(named.begin(), named.end()) == named.end()) << name;
            std::set<int64_t> full; // parts with elements; empty ones may be returned in addition
            for (int64_t c : named)
                if (sizes[static_cast<size_t>(c)] > 0)
                    full.insert(c);
            ASSERT_EQ(full, needed) << name << ", [" << lo << ", " << hi << ")";
        }
    }
}

} // namespace

TEST(Cut, every_kind_agrees_with_an_owner_per_index) {
    for (int64_t n = 0; n <= 17; n += step)
        for (int64_t p = 1; p <= 9; ++p) {
            for (model::Remainder r : remainders) {
                const model::CutRule rule = block_rule(r);
                expect_owners(model::Cut(rule, n, p, 0), plain_owners(rule, n, p),
                              fmt::format("{} {}", n, model::to_text(rule, p)));
            }
            for (int64_t b = 1; b <= n + 2; ++b) {
                const model::CutRule rule = cyclic_rule(b);
                expect_owners(model::Cut(rule, n, p, 0), plain_owners(rule, n, p),
                              fmt::format("{} {}", n, model::to_text(rule, p)));
            }
        }
    for (const Sizes &sizes : {Sizes{3, 4, 5}, Sizes{0, 4, 0, 0, 2, 0}, Sizes{7}, Sizes{0, 0}, Sizes{0, 1}}) {
        const model::CutRule rule = sizes_rule(sizes);
        int64_t n = 0;
        for (int64_t s : sizes)
            n += s;
        expect_owners(model::Cut(rule, n, rule.nparts, 0), plain_owners(rule, n, rule.nparts),
                      model::to_text(rule, rule.nparts));
    }
    expect_owners(model::Cut(model::CutRule{}, 6, 1, 0), std::vector<int64_t>(6, 0), "whole");
}

TEST(Cut, blocks_follow_the_definition) {
    EXPECT_EQ(cut_sizes(block_rule(model::Remainder::balanced), 5, 4), (Sizes{2, 1, 1, 1}));
    EXPECT_EQ(cut_sizes(block_rule(model::Remainder::balanced_last), 5, 4), (Sizes{1, 1, 1, 2}));
    EXPECT_EQ(cut_sizes(block_rule(model::Remainder::ceil), 5, 4), (Sizes{2, 2, 1, 0}));
    EXPECT_EQ(cut_sizes(block_rule(model::Remainder::ceil), 9, 6), (Sizes{2, 2, 2, 2, 1, 0}));
    EXPECT_EQ(cut_sizes(block_rule(model::Remainder::ceil), 3, 5), (Sizes{1, 1, 1, 0, 0}));
    EXPECT_EQ(cut_sizes(block_rule(model::Remainder::proportional), 5, 4), (Sizes{2, 1, 1, 1}));
    EXPECT_EQ(cut_sizes(block_rule(model::Remainder::proportional), 3, 5), (Sizes{1, 1, 0, 1, 0}));
    EXPECT_EQ(cut_sizes(block_rule(model::Remainder::proportional), 10, 4), (Sizes{3, 2, 3, 2}));
    EXPECT_EQ(cut_sizes(cyclic_rule(2), 11, 3), (Sizes{4, 4, 3}));
}

TEST(Cut, constraints_follow_the_definition) {
    const auto balanced = [](int64_t min, int64_t max, int64_t multiple) {
        return block_rule(model::Remainder::balanced, min, max, multiple);
    };
    EXPECT_EQ(cut_sizes(balanced(16, 16, 0), 64, 5), (Sizes{16, 16, 16, 16, 0}));
    EXPECT_EQ(cut_sizes(balanced(3, 0, 0), 10, 4), (Sizes{4, 3, 3, 0}));
    EXPECT_EQ(cut_sizes(balanced(0, 0, 4), 10, 3), (Sizes{4, 4, 2}));
    EXPECT_EQ(cut_sizes(balanced(0, 3, 0), 12, 4), (Sizes{3, 3, 3, 3}));
    EXPECT_EQ(cut_sizes(balanced(0, 0, 8), 64, 3), (Sizes{24, 24, 16}));
    EXPECT_EQ(cut_sizes(balanced(11, 0, 0), 11, 4), (Sizes{11, 0, 0, 0}));
    EXPECT_EQ(cut_sizes(balanced(5, 5, 0), 0, 4), (Sizes{0, 0, 0, 0}));
}

TEST(Cut, constraints_that_can_hold_and_that_cannot) {
    struct Row {
        int64_t size, parts, min, max;
        bool possible;
    };
    for (const Row &row :
         {Row{100, 2, 50, 50, true}, Row{101, 2, 50, 50, false}, Row{150, 3, 50, 50, true}, Row{10, 4, 2, 4, true},
          Row{10, 4, 3, 4, true}, Row{10, 4, 1, 2, false}, Row{7, 7, 1, 1, true}, Row{8, 3, 0, 3, true},
          Row{64, 4, 16, 16, true}, Row{64, 5, 16, 16, true}}) {
        const model::CutRule rule = block_rule(model::Remainder::balanced, row.min, row.max);
        EXPECT_EQ(can_be_cut(rule, row.size, row.parts), row.possible);
        if (row.possible) {
            EXPECT_TRUE(meets_limits(rule, cut_sizes(rule, row.size, row.parts)));
        } else {
            expect_refusal(DRI_ERR_CONSTRAINT, {"dimension 0"}, [&] { model::Cut(rule, row.size, row.parts, 0); });
        }
    }
}

TEST(Cut, blocks_meet_constraints_if_any_sizes_do) {
    // many limits have the same effect, so each effect is tested once
    std::set<std::tuple<model::Remainder, int64_t, Sizes>> asked;
    for (int64_t n = 0; n <= 19; n += step)
        for (int64_t p : {1, 2, 3, 4, 5, 6, 9})
            for (int64_t min = 0; min <= 7; ++min)
                for (int64_t max : {int64_t{0}, min, min + 1, min + 3})
                    for (int64_t multiple = 0; multiple <= 5; ++multiple)
                        for (model::Remainder r : remainders) {
                            const model::CutRule rule = block_rule(r, min, max, multiple);
                            const std::string name = fmt::format("{} {}", n, model::to_text(rule, p));
                            std::optional<model::Cut> cut;
                            try {
                                cut.emplace(rule, n, p, 0);
                            } catch (const Error &e) {
                                ASSERT_EQ(e.code(), DRI_ERR_CONSTRAINT) << name;
                            }
                            ASSERT_EQ(cut.has_value(), can_be_cut(rule, n, p)) << name;
                            if (!cut)
                                continue;
                            const Sizes sizes = sizes_of(*cut);
                            ASSERT_TRUE(meets_limits(rule, sizes))
                                << name << ": " << fmt::format("{}", fmt::join(sizes, ","));
                            ASSERT_EQ(std::accumulate(sizes.begin(), sizes.end(), int64_t{0}), n) << name;
                            if (asked.emplace(r, multiple, sizes).second)
                                expect_owners(*cut, plain_owners(sizes_rule(sizes), n, p), name);
                        }
}

// If the sizes of the remainder rule meet the constraints, the cut stays unchanged.
TEST(Cut, constraints_that_hold_change_nothing) {
    for (int64_t n = 0; n <= 30; ++n)
        for (int64_t p = 1; p <= 7; ++p)
            for (int64_t min : {0, 1, 2, 4})
                for (int64_t max : {0, 5, 9})
                    for (int64_t multiple : {0, 1, 2, 3, 5})
                        for (model::Remainder r : remainders) {
                            const model::CutRule rule = block_rule(r, min, max, multiple);
                            const Sizes plain = part_sizes(plain_owners(rule, n, p), p);
                            if (meets_limits(rule, plain)) {
                                EXPECT_EQ(cut_sizes(rule, n, p), plain) << n << " " << model::to_text(rule, p);
                            }
                        }
}

TEST(Cut, other_kinds_are_checked_against_constraints) {
    for (int64_t n = 0; n <= 12; ++n)
        for (int64_t p = 1; p <= 4; ++p)
            for (int64_t block = 1; block <= 4; ++block)
                for (int64_t min = 0; min <= 4; ++min)
                    for (int64_t multiple = 0; multiple <= 4; ++multiple) {
                        model::CutRule rule = cyclic_rule(block);
                        rule.min = min;
                        rule.max = min == 0 ? 4 : 0;
                        rule.multiple = multiple;
                        bool holds = true;
                        try {
                            model::Cut(rule, n, p, 0);
                        } catch (const Error &) {
                            holds = false;
                        }
                        EXPECT_EQ(holds, can_be_cut(rule, n, p)) << n << " " << model::to_text(rule, p);
                    }
    model::CutRule sizes = sizes_rule({4, 0, 4, 3});
    sizes.multiple = 4;
    EXPECT_NO_THROW(model::Cut(sizes, 11, 4, 0));
    sizes.sizes = {4, 3, 4, 0};
    expect_refusal(DRI_ERR_CONSTRAINT, {"dimension 2", "part 1", "3", "multiple of 4"},
                   [&] { model::Cut(sizes, 11, 4, 2); });
    model::CutRule whole;
    whole.max = 5;
    expect_refusal(DRI_ERR_CONSTRAINT, {"dimension 1", "6", "at most 5"}, [&] { model::Cut(whole, 6, 1, 1); });
}

TEST(Cut, refusals_name_dimension_and_values) {
    expect_refusal(DRI_ERR_CONSTRAINT, {"dimension 3", "10", "4 parts", "1 to 2", "2 too few"},
                   [] { model::Cut(block_rule(model::Remainder::balanced, 1, 2), 10, 4, 3); });
    expect_refusal(DRI_ERR_CONSTRAINT, {"dimension 0", "65", "5 parts", "exactly 16"},
                   [] { model::Cut(block_rule(model::Remainder::balanced, 16, 16), 65, 5, 0); });
    expect_refusal(DRI_ERR_CONSTRAINT, {"dimension 0", "5 elements", "at least 7", "2 too many"},
                   [] { model::Cut(block_rule(model::Remainder::balanced, 7), 5, 2, 0); });
    const auto weights = [](std::vector<double> values, int64_t min, int64_t max, int64_t multiple) {
        const auto n = static_cast<int64_t>(values.size());
        return model::CutRule{.kind = model::CutKind::weights,
                              .nparts = n,
                              .weights = std::move(values),
                              .min = min,
                              .max = max,
                              .multiple = multiple};
    };
    expect_refusal(
        DRI_ERR_CONSTRAINT,
        {"10 elements", "3 parts", "only 1 of them has a positive weight and holds at most 5, 5 too few"}, [&] {
            model::Cut(weights({0, 2, 0}, 0, 5, 0), 10, 3, 0);
        });
    expect_refusal(DRI_ERR_CONSTRAINT, {"only 2 of them have a positive weight and hold at most 10, 3 too few"},
                   [&] {
                       model::Cut(weights({1, 2, 0}, 0, 5, 0), 13, 3, 0);
                   });
    expect_refusal(DRI_ERR_CONSTRAINT,
                   {"2 of them hold at most 8, 1 too few; 3 must hold at least 12, 3 too many"}, [&] {
                       model::Cut(weights({1, 2, 1}, 4, 4, 0), 9, 3, 0);
                   });
    expect_refusal(DRI_ERR_CONSTRAINT, {"dimension 2", "7", "8 elements: 1 too few"}, [] {
        model::Cut(sizes_rule({3, 4}), 8, 2, 2);
    });
    expect_refusal(DRI_ERR_CONSTRAINT, {"8", "6 elements: 2 too many"},
                   [] { model::Cut(sizes_rule({8}), 6, 1, 0); });
}

TEST(Cut, refusals_say_by_how_much) {
    const auto refused = [](const char *words, model::CutRule rule, int64_t min, int64_t max, int64_t multiple,
                            int64_t size) {
        rule.min = min, rule.max = max, rule.multiple = multiple;
        expect_refusal(DRI_ERR_CONSTRAINT, {words}, [&] { model::Cut(rule, size, rule.fixed_parts(), 0); });
    };
    refused("part 1 of 2 has 3 of the 8 elements, but must have at least 4: 1 too few", sizes_rule({5, 3}), 4, 0,
            0, 8);
    refused("part 0 of 2 has 5 of the 8 elements, but must have at most 4: 1 too many", sizes_rule({5, 3}), 0, 4,
            0, 8);
    refused("must have a multiple of 4: 1 past a multiple, 3 short of the next", sizes_rule({5, 3}), 0, 0, 4, 8);
    // The word after the number 1 is in the singular.
    const model::CutRule one{.kind = model::CutKind::block, .nparts = 1};
    refused("9 elements cannot be cut into 1 part with at most 4: it holds at most 4, 5 too few", one, 0, 4, 0, 9);
    refused("1 element cannot be cut into 1 part with at least 2: it must hold at least 2, 1 too many", one, 2, 0,
            0, 1);
}

TEST(Cut, large_sizes_keep_owner_and_part_together) {
    std::mt19937_64 random(7);
    const int64_t n = 3'000'000'000'000'017;
    std::vector<std::pair<model::CutRule, int64_t>> cuts;
    for (model::Remainder r : remainders) {
        cuts.emplace_back(block_rule(r), 1000);
        cuts.emplace_back(block_rule(r, 0, 0, 4096), 7);
    }
    cuts.emplace_back(cyclic_rule(1), 64);
    cuts.emplace_back(cyclic_rule(12345), 7);
    cuts.emplace_back(cyclic_rule(int64_t{1} << 45), 100);
    for (const auto &[rule, parts] : cuts) {
        const model::Cut cut(rule, n, parts, 0);
        const Sizes sizes = sizes_of(cut);
        EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), int64_t{0}), n) << model::to_text(rule, parts);
        EXPECT_EQ(cut.largest(), *std::max_element(sizes.begin(), sizes.end())) << model::to_text(rule, parts);
        for (int k = 0; k < 1000; ++k) {
            const auto i = static_cast<int64_t>(random() % static_cast<uint64_t>(n));
            const int64_t owner = cut.owner(i).value();
            const auto local = cut.part(owner).local_of(i);
            ASSERT_TRUE(local) << model::to_text(rule, parts) << " " << i;
            EXPECT_EQ(cut.axis_view(owner).index_at(*local), i) << model::to_text(rule, parts);
            EXPECT_FALSE(cut.part((owner + 1) % parts).local_of(i)) << model::to_text(rule, parts);
            // A proportional cut follows its formula, computed with 128 bits.
            __extension__ using Wide = __int128;
            if (rule.remainder == model::Remainder::proportional && rule.multiple == 0) {
                EXPECT_EQ(owner, static_cast<int64_t>(static_cast<Wide>(i) * parts / n));
            }
        }
    }
}

// Numbers at the limits of their types are valid. An impossible cut is refused quickly even for many parts.
TEST(Cut, accepts_the_largest_numbers) {
    for (const int64_t block : {INT64_MAX, int64_t{1} << 62, int64_t{100}}) {
        const model::Cut cut({.kind = model::CutKind::block_cyclic, .nparts = 4, .block = block}, 100, 4, 0);
        EXPECT_EQ(cut.owner(99), 0);
        EXPECT_EQ(cut.axis_view(0).owned(), 100);
        EXPECT_TRUE(cut.part(3).empty());
        EXPECT_GE(cut.period(), 100);
    }
    const model::Cut huge({.kind = model::CutKind::block_cyclic, .nparts = 1 << 20, .block = int64_t{1} << 50},
                          int64_t{1} << 60, 1 << 20, 0);
    EXPECT_EQ(huge.owner((int64_t{1} << 60) - 1), 1023);
    EXPECT_EQ(huge.axis_view(1023).owned(), int64_t{1} << 50);
    const model::Cut one({.kind = model::CutKind::block, .nparts = 3, .multiple = INT64_MAX}, 10, 3, 0);
    EXPECT_EQ(one.axis_view(0).owned(), 10);
    for (const model::CutRule &rule :
         {model::CutRule{.kind = model::CutKind::block, .min = 1000003, .multiple = 1000},
          model::CutRule{.kind = model::CutKind::block, .max = 1, .multiple = 1},
          model::CutRule{.kind = model::CutKind::block, .min = 7, .max = 7}})
        EXPECT_THROW(model::Cut(rule, 1'000'000, 65536, 0), Error);
}

} // namespace dri::test
