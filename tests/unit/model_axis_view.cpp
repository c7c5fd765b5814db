// Axes in closed form: whether two are equal, and numbers close to the limit of 64 bits.
#include "model/axis_view.hpp"

#include "model/distribution.hpp"
#include "model_refusal.hpp"
#include "support/oracle.hpp"
#include "support/random_pieces.hpp"
#include "support/sanitizer.hpp"

namespace dri::test {

namespace {

constexpr int64_t max_int = std::numeric_limits<int64_t>::max();

// A part of any kind, with the row that the interface describes for it.
struct Shown {
    std::shared_ptr<const model::Cut> cut;
    int64_t part = 0;
    ShownRow row;
    std::vector<bool> pad; // offsets of the row that show zeros or a repeated element
    std::string text;

    model::AxisView axis_view() const { return cut->axis_view(part); }
};

Shown random_part(Dice &dice, int64_t n) {
    const int64_t parts = dice.range(1, 3);
    model::CutRule rule;
    rule.kind = dice.one_of(
        {model::CutKind::block, model::CutKind::block_cyclic, model::CutKind::indices, model::CutKind::whole});
    const int64_t nparts = rule.kind == model::CutKind::whole ? 1 : parts;
    // Few different values, so that equal axes arise from different rules.
    const auto width = [&] { return dice.one_of<int64_t>({0, 0, 1, 2, n, 2 * n + 1}); };
    const auto random_edge = [&] {
        return dice.one_of({model::Edge::truncate, model::Edge::truncate, model::Edge::wrap, model::Edge::pad_zero,
                            model::Edge::pad_replicate});
    };
    rule.overlap = {width(), width(), random_edge(), random_edge()};
    Shown shown;
    shown.part = dice.range(0, nparts - 1);
    std::vector<std::pair<int64_t, int64_t>> blocks;
    if (rule.kind == model::CutKind::indices) {
        for (int64_t c = 0; c < nparts; ++c) {
            std::vector<int64_t> list;
            for (int64_t i = dice.range(0, n - 1), step = dice.range(0, 2); i < n && std::ssize(list) < 4;
                 i += step)
                list.push_back(i);
            rule.lists.push_back(model::compress(list));
        }
        for (const int64_t i : listed(rule.lists[static_cast<size_t>(shown.part)]))
            blocks.emplace_back(i, i + 1);
    } else {
        if (rule.kind == model::CutKind::block_cyclic)
            rule.block = dice.range(1, 3);
        blocks = plain_blocks(plain_owners(rule, n, nparts), shown.part, rule.block);
    }
    shown.cut = std::make_shared<const model::Cut>(rule, n, nparts, 0);
    shown.row = plain_row(blocks, n, rule.overlap);
    const auto is_pad = [](model::Edge edge) {
        return edge == model::Edge::pad_zero || edge == model::Edge::pad_replicate;
    };
    for (const auto &[lo, hi] : blocks)
        for (int64_t i = lo - rule.overlap.left; i < hi + rule.overlap.right; ++i) {
            const model::Edge edge = i < 0 ? rule.overlap.left_edge : rule.overlap.right_edge;
            const bool beyond = i < 0 || i >= n;
            if (!beyond || edge != model::Edge::truncate)
                shown.pad.push_back(beyond && is_pad(edge));
        }
    shown.text = fmt::format("part {} of {} {}", shown.part, n, model::to_text(rule, nparts));
    return shown;
}

model::CutRule cyclic(int64_t block, const model::Overlap &overlap) {
    model::CutRule rule;
    rule.kind = model::CutKind::block_cyclic;
    rule.block = block;
    rule.overlap = overlap;
    return rule;
}

} // namespace

TEST(AxisView, are_equal_if_rows_are) {
    Dice dice(12);
    int same = 0;
    for (int round = 0; round < rounds(40'000); ++round) {
        const int64_t n = dice.range(1, 5);
        const Shown a = random_part(dice, n), b = random_part(dice, n);
        const bool expected = a.row.index == b.row.index && a.row.owned == b.row.owned && a.pad == b.pad;
        ASSERT_EQ(a.axis_view().same(b.axis_view()), expected) << a.text << " and " << b.text;
        same += expected && !a.row.index.empty() && a.text != b.text;
    }
    EXPECT_GT(same, rounds(40'000) / 100);
}

// Comparing the blocks that the edges clip one by one would take too long.
TEST(AxisView, of_many_clipped_blocks_are_compared_quickly) {
    constexpr int64_t n = 1'000'000'000;
    const model::Cut a(cyclic(1, {n / 3, 0}), n, 2, 0), b(cyclic(1, {n / 3, 0}), n, 2, 0),
        c(cyclic(1, {n / 3, 1}), n, 2, 0);
    const model::Cut all(cyclic(1, {n, 0}), n, 2, 0), more(cyclic(1, {2 * n, 0}), n, 2, 0);
    EXPECT_TRUE(a.axis_view(1).same(b.axis_view(1)));
    EXPECT_FALSE(a.axis_view(0).same(b.axis_view(1)));
    EXPECT_FALSE(a.axis_view(1).same(c.axis_view(1)));
    EXPECT_FALSE(a.axis_view(1).same(all.axis_view(1)));
    EXPECT_TRUE(all.axis_view(1).same(more.axis_view(1))); // the edge truncates both
}

// Under sanitizers this checks, too, that no intermediate result overflows next to the limit of 64 bits.
TEST(AxisView, of_the_largest_arrays_do_not_overflow) {
    for (const model::Edge edge :
         {model::Edge::truncate, model::Edge::wrap, model::Edge::pad_zero, model::Edge::pad_replicate})
        for (const int64_t width : {int64_t{0}, int64_t{1}, int64_t{1000}, max_int / 16})
            for (const int64_t block : {max_int / 2, max_int / 3 + 1, max_int / 5, max_int / 5 + 7})
                for (const int64_t parts : {2, 3}) {
                    const int64_t n = max_int - 8 * width; // so that no part has more than three blocks
                    if (n < block)
                        continue;
                    const model::Cut cut(cyclic(block, {width, width, edge, edge}), n, parts, 0);
                    int64_t owned = 0;
                    for (int64_t c = 0; c < parts; ++c) {
                        const model::AxisView view = cut.axis_view(c);
                        owned += view.owned();
                        int64_t at = 0;
                        for (int64_t b = 0; b < view.num_blocks(); ++b) {
                            const model::AxisBlock found = view.block(b);
                            EXPECT_EQ(found.global, (b * parts + c) * block);
                            EXPECT_EQ(found.size, std::min(block, n - found.global));
                            EXPECT_EQ(found.local, at + found.left());
                            at = found.local + found.size + found.right();
                        }
                        EXPECT_EQ(view.extent(), at);
                        for (const int64_t index : {int64_t{0}, int64_t{1}, n / 2, n - 2, n - 1}) {
                            const auto local = view.local_of(index);
                            const auto holders = cut.holders(index, index + 1);
                            const bool holds = std::count(holders.begin(), holders.end(), c) > 0;
                            EXPECT_EQ(local.has_value(), holds && view.num_blocks() > 0);
                            if (local) {
                                EXPECT_EQ(view.index_at(*local), index);
                            }
                        }
                    }
                    EXPECT_EQ(owned, n);
                }
    // With wrapping, the last index would be next to the first part. That edge does not wrap.
    model::CutRule halves;
    halves.kind = model::CutKind::block;
    halves.overlap = {0, 1, model::Edge::truncate, model::Edge::wrap};
    const model::Cut cut(halves, max_int - 1, 2, 0);
    EXPECT_EQ(cut.axis_view(0).local_of(max_int - 2), std::nullopt);
    EXPECT_EQ(cut.axis_view(1).local_of(0), (max_int - 1) / 2);
    EXPECT_EQ(cut.holders(max_int - 2, max_int - 1), (std::vector<int64_t>{1}));
}

// Any large width means "all elements".
TEST(AxisView, widths_beyond_an_edge_that_truncates_are_cut) {
    for (const int64_t n : {int64_t{10}, int64_t{1000}}) {
        std::vector<model::CutRule> rules(2);
        rules[1] = cyclic(3, {});
        rules[0].kind = model::CutKind::block;
        model::CutRule lists;
        lists.kind = model::CutKind::indices;
        lists.lists = {model::compress(std::vector<int64_t>{3, 9, 0}),
                       model::compress(std::vector<int64_t>{1, 2, 4, 5, 6, 7, 8})};
        rules.push_back(lists);
        for (model::CutRule &rule : rules) {
            rule.overlap = {n, n, model::Edge::truncate, model::Edge::truncate};
            const model::Cut all(rule, n, 2, 0);
            for (const auto &[left, right] :
                 {std::pair{max_int, max_int}, {n + 1, max_int}, {max_int / 2, max_int / 2}}) {
                rule.overlap = {left, right, model::Edge::truncate, model::Edge::truncate};
                const model::Cut wide(rule, n, 2, 0);
                for (int64_t c = 0; c < 2; ++c) {
                    EXPECT_EQ(wide.axis_view(c).extent(), wide.axis_view(c).num_blocks() * n);
                    EXPECT_TRUE(wide.axis_view(c).same(all.axis_view(c)));
                    EXPECT_EQ(wide.axis(c).extent, wide.axis_view(c).extent());
                }
                EXPECT_EQ(wide.holders(n - 1, n), (std::vector<int64_t>{0, 1}));
            }
        }
    }
    model::CutRule halves;
    halves.kind = model::CutKind::block;
    halves.overlap = {max_int, max_int, model::Edge::truncate, model::Edge::truncate};
    const model::Cut cut(halves, max_int, 2, 0);
    for (int64_t c = 0; c < 2; ++c) {
        EXPECT_EQ(cut.axis_view(c).extent(), max_int);
        EXPECT_EQ(cut.axis_view(c).local_of(max_int - 1), max_int - 1);
        EXPECT_EQ(cut.axis_view(c).index_at(7), 7);
        EXPECT_EQ(cut.axis(c).extent, max_int);
    }
    // Wrapped elements and pads are held, and local indices must count them.
    for (const model::Edge edge : {model::Edge::wrap, model::Edge::pad_zero, model::Edge::pad_replicate}) {
        halves.overlap = {0, 1, model::Edge::truncate, edge};
        expect_refusal(DRI_ERR_OVERFLOW, {"dimension 3", "overlap of 0 and 1"},
                       [&] { model::Cut(halves, max_int, 2, 3); });
        EXPECT_EQ(model::Cut(halves, max_int - 1, 2, 0).axis_view(1).extent(), (max_int - 1) / 2 + 1);
    }
}

// The dimensions are independent, so the largest part decides.
TEST(AxisView, parts_of_too_many_bytes_are_refused) {
    const auto make = [](int64_t width, model::Edge edge, int64_t pitch, int64_t columns) {
        model::CutRule rows;
        rows.kind = model::CutKind::block;
        rows.nparts = 2;
        rows.overlap = {width, 0, edge, model::Edge::truncate};
        const model::Gdo gdo = model::make_gdo(model::make_record(pitch, 1), std::vector<int64_t>{10, columns});
        return model::Distribution(gdo, {rows, model::CutRule{}}, model::Group({0, 1}));
    };
    const int64_t fits = max_int / 16 - 5; // rows of two elements of 8 bytes
    EXPECT_EQ(make(fits, model::Edge::pad_zero, 8, 2).extents(0), (Dims{fits + 5, 2}));
    expect_refusal(DRI_ERR_OVERFLOW, {"largest part", fmt::format("[{},2]", fits + 6).c_str()},
                   [&] { make(fits + 1, model::Edge::pad_zero, 8, 2); });
    // What an edge truncates is not held, and without columns no element is held.
    EXPECT_EQ(make(max_int / 2, model::Edge::truncate, 8, 2).extents(1), (Dims{10, 2}));
    EXPECT_EQ(make(max_int / 2, model::Edge::pad_zero, 8, 0).extents(1), (Dims{max_int / 2 + 5, 0}));
    EXPECT_EQ(model::count_elements(Dims{max_int, max_int, 0}), 0);
}

} // namespace dri::test
