// Compares axes with overlap with lists of what each local offset must show.
#include "model/part_axis.hpp"

#include "model/cut.hpp"
#include "support/dice.hpp"
#include "support/oracle.hpp"
#include "support/sanitizer.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace dri::test {

namespace {

constexpr int64_t nothing = -1; // a pad of zeros
constexpr int64_t unset = -2;

// What each local offset of a part must show, block by block, as the interface describes it.
std::vector<int64_t> plain_row(const std::vector<std::pair<int64_t, int64_t>> &blocks, int64_t n,
                               const model::Overlap &o) {
    std::vector<int64_t> row;
    const auto beyond = [&](model::Edge edge, int64_t i) {
        if (edge == model::Edge::wrap) {
            while (i < 0)
                i += n;
            row.push_back(i % n);
        } else if (edge == model::Edge::pad_zero) {
            row.push_back(nothing);
        } else if (edge == model::Edge::pad_replicate) {
            row.push_back(i < 0 ? 0 : n - 1);
        }
    };
    for (const auto &[lo, hi] : blocks)
        for (int64_t i = lo - o.left; i < hi + o.right; ++i) {
            if (i < 0)
                beyond(o.left_edge, i);
            else if (i >= n)
                beyond(o.right_edge, i);
            else
                row.push_back(i);
        }
    return row;
}

// The same row from the axis. Each offset must occur exactly once.
std::vector<int64_t> row_of(const model::PartAxis &axis, std::vector<bool> &owned) {
    std::vector<int64_t> row(static_cast<size_t>(axis.extent), unset);
    owned.assign(row.size(), false);
    const auto set = [&](int64_t local, int64_t value) {
        int64_t &shown = row.at(static_cast<size_t>(local));
        EXPECT_EQ(shown, unset) << "offset " << local << " occurs twice";
        shown = value;
    };
    const auto walk = [&](const std::vector<model::Runs> &lists, bool mine) {
        for (const model::Runs &r : lists)
            for (int64_t k = 0; k < r.count; ++k)
                for (int64_t i = 0; i < r.size; ++i) {
                    const int64_t local = r.local + k * r.local_step + i;
                    set(local, r.global + k * r.global_step + i);
                    owned[static_cast<size_t>(local)] = mine;
                }
    };
    walk(axis.owned.lists(), true);
    walk(axis.overlap, false);
    for (const model::Pad &pad : axis.pads)
        for (int64_t i = 0; i < pad.size; ++i)
            set(pad.local + i, pad.copy_of.value_or(nothing));
    return row;
}

constexpr model::Edge edges[] = {model::Edge::truncate, model::Edge::wrap, model::Edge::pad_zero,
                                 model::Edge::pad_replicate};

void expect_axes(const model::Cut &cut, const model::CutRule &rule, const std::string &name) {
    const model::Overlap &overlap = rule.overlap;
    const auto owners = plain_owners(rule, cut.size(), cut.nparts());
    const auto n = static_cast<int64_t>(owners.size());
    std::vector<std::vector<int64_t>> rows;
    for (int64_t c = 0; c < cut.nparts(); ++c) {
        const auto blocks = plain_blocks(owners, c, rule.block);
        const model::AxisView view = cut.axis_view(c);
        ASSERT_EQ(view.num_blocks(), std::ssize(blocks)) << name << ", part " << c;
        for (int64_t b = 0; b < view.num_blocks(); ++b) {
            const auto &[lo, hi] = blocks[static_cast<size_t>(b)];
            ASSERT_EQ(view.block(b).global, lo) << name << ", part " << c;
            ASSERT_EQ(view.block(b).size, hi - lo) << name << ", part " << c;
        }
        rows.push_back(plain_row(blocks, n, overlap));
        std::vector<bool> owned;
        const std::vector<int64_t> row = row_of(cut.axis(c), owned);
        ASSERT_EQ(row, rows.back()) << name << ", part " << c;
        int64_t count = 0;
        for (size_t i = 0; i < row.size(); ++i)
            count += owned[i] && owners[static_cast<size_t>(row[i])] == c;
        ASSERT_EQ(count, std::count(owners.begin(), owners.end(), c)) << name << ", part " << c;
    }
    for (int64_t lo = 0; lo < n; ++lo)
        for (int64_t hi = lo + 1; hi <= n; ++hi) {
            const auto named = cut.holders(lo, hi);
            ASSERT_TRUE(std::is_sorted(named.begin(), named.end())) << name;
            for (int64_t c = 0; c < cut.nparts(); ++c) {
                const auto &row = rows[static_cast<size_t>(c)];
                const bool holds =
                    std::any_of(row.begin(), row.end(), [&](int64_t i) { return i >= lo && i < hi; });
                const bool is_named = std::binary_search(named.begin(), named.end(), c);
                ASSERT_TRUE(is_named || !holds) << name << ", part " << c << " of [" << lo << ", " << hi << ")";
                // Only empty parts may be returned in addition.
                ASSERT_TRUE(holds || !is_named || row.empty())
                    << name << ", part " << c << " of [" << lo << ", " << hi << ")";
            }
        }
}

} // namespace

TEST(PartAxis, every_offset_shows_the_index_of_the_definition) {
    Dice dice(11);
    for (int round = 0; round < rounds(6000); ++round) {
        const int64_t n = dice.range(0, 14), parts = dice.range(1, 5), widest = dice.range(0, 3) == 0 ? 40 : 5;
        model::CutRule rule;
        rule.kind = dice.range(0, 1) ? model::CutKind::block : model::CutKind::block_cyclic;
        rule.block = rule.kind == model::CutKind::block_cyclic ? dice.range(1, 4) : 0;
        if (parts == 1 && dice.range(0, 1))
            rule = model::CutRule{};
        rule.overlap = {dice.range(0, widest), dice.range(0, widest), edges[dice.range(0, 3)],
                        edges[dice.range(0, 3)]};
        expect_axes(model::Cut(rule, n, parts, 0), rule, fmt::format("{} {}", n, model::to_text(rule, parts)));
    }
}

TEST(PartAxis, of_five_columns_over_four) {
    model::CutRule rule;
    rule.kind = model::CutKind::block;
    rule.overlap = {2, 2, model::Edge::pad_zero, model::Edge::pad_zero};
    const model::Cut cut(rule, 5, 4, 0);
    const std::vector<int64_t> sizes{2, 1, 1, 1};
    for (int64_t c = 0; c < 4; ++c) {
        EXPECT_EQ(cut.axis_view(c).owned(), sizes[static_cast<size_t>(c)]);
        EXPECT_EQ(cut.axis(c).extent, sizes[static_cast<size_t>(c)] + 4);
    }
    const model::PartAxis third = cut.axis(2); // pads on its right: index 3 is owned, 4 is real, 5 lies outside
    ASSERT_EQ(third.pads.size(), 1u);
    EXPECT_EQ(third.pads[0], (model::Pad{4, 1, std::nullopt}));
    std::vector<bool> owned;
    EXPECT_EQ(row_of(third, owned), (std::vector<int64_t>{1, 2, 3, 4, nothing}));
}

TEST(PartAxis, of_blocks_over_one_part_has_overlap_around_each) {
    model::CutRule rule;
    rule.kind = model::CutKind::block_cyclic;
    rule.block = 3;
    EXPECT_EQ(model::Cut(rule, 8, 1, 0).axis_view(0).num_blocks(), 3);
    EXPECT_EQ(model::Cut(rule, 8, 1, 0).axis(0).owned.lists().size(), 1u) << "one run for plans";
    rule.overlap = {1, 1, model::Edge::truncate, model::Edge::wrap};
    const model::PartAxis axis = model::Cut(rule, 8, 1, 0).axis(0);
    std::vector<bool> owned;
    EXPECT_EQ(row_of(axis, owned), (std::vector<int64_t>{0, 1, 2, 3, 2, 3, 4, 5, 6, 5, 6, 7, 0}));
    EXPECT_EQ(axis.owned.local_of(6), 10);
}

TEST(PartAxis, costs_the_same_for_any_count) {
    for (const int64_t n : {int64_t{10'000}, int64_t{1'000'000}, int64_t{1'000'000'000'000}}) {
        model::CutRule rule;
        rule.kind = model::CutKind::block_cyclic;
        rule.block = 4;
        rule.overlap = {3, 9, model::Edge::wrap, model::Edge::pad_zero};
        for (const int64_t parts : {1, 2}) {
            const model::PartAxis axis = model::Cut(rule, n, parts, 0).axis(0);
            EXPECT_LE(axis.owned.lists().size() + axis.overlap.size() + axis.pads.size(), 30u) << n;
        }
    }
}

} // namespace dri::test
