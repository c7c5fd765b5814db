// Lists of indices: closed form, wire form, lookups.
#include "model/index_lists.hpp"

#include "support/oracle.hpp"
#include "support/random_pieces.hpp"
#include "support/sanitizer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace dri::test {

namespace {

using List = std::vector<int64_t>;

} // namespace

TEST(IndexList, keeps_order_and_repeats) {
    Dice dice(1);
    for (int round = 0; round < rounds(3000); ++round) {
        List indices;
        for (int64_t k = dice.range(0, 30); k > 0; --k)
            indices.push_back(indices.empty() || dice.chance(30) ? dice.range(0, 20)
                                                                 : indices.back() + dice.range(1, 2));
        const model::IndexList list = model::compress(indices);
        EXPECT_EQ(listed(list), indices);
        EXPECT_EQ(model::length(list), std::ssize(indices));
        for (size_t i = 0; i < indices.size(); ++i)
            EXPECT_EQ(model::index_at(list, static_cast<int64_t>(i)), indices[i]);
        Writer out;
        model::put(out, list);
        const Bytes bytes = out.take();
        Reader in(bytes);
        EXPECT_EQ(model::get_index_list(in), list);
        EXPECT_TRUE(in.done());
    }
}

TEST(IndexList, with_a_pattern_has_few_entries) {
    List cyclic;
    for (int64_t i = 0; i < 100'000; ++i)
        if (i / 4 % 3 == 1)
            cyclic.push_back(i);
    EXPECT_EQ(model::compress(cyclic).size(), 1u);
    List all(100'000);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(model::compress(all), (model::IndexList{{0, 100'000, 1, 0, 0, 0}}));
    EXPECT_EQ(model::to_text(model::compress(List{4, 5, 6, 9, 2})), "4-6:9:2");
}

TEST(IndexedParts, find_owners_gaps_and_repeats) {
    Dice dice(2);
    for (int round = 0; round < rounds(3000); ++round) {
        const int64_t n = dice.range(1, 25), parts = dice.range(1, 5);
        const bool whole = dice.chance(40);
        const auto lists = random_lists(dice, n, parts, whole);
        const model::IndexedParts indexed(lists, n, {});
        std::vector<int64_t> times(static_cast<size_t>(n), 0);
        for (const model::IndexList &list : lists)
            for (const int64_t i : listed(list))
                ++times[static_cast<size_t>(i)];
        for (int64_t lo = 0; lo < n; ++lo) {
            const int64_t hi = dice.range(lo + 1, n);
            List expected;
            for (int64_t c = 0; c < parts; ++c) {
                const List mine = listed(lists[static_cast<size_t>(c)]);
                if (std::any_of(mine.begin(), mine.end(), [&](int64_t i) { return i >= lo && i < hi; }))
                    expected.push_back(c);
            }
            EXPECT_EQ(indexed.owners(lo, hi), expected);
        }
        for (int64_t i = 0; i < n; ++i) {
            const List all = indexed.owners(i, i + 1);
            EXPECT_EQ(indexed.first_owner(i), all.empty() ? std::nullopt : std::optional(all.front())) << i;
        }
        const auto fault = indexed.find_fault();
        const bool once = std::all_of(times.begin(), times.end(), [](int64_t t) { return t == 1; });
        ASSERT_EQ(fault.has_value(), !once);
        EXPECT_TRUE(once || !whole);
        if (!fault)
            continue;
        EXPECT_EQ(times[static_cast<size_t>(fault->index)] > 1, fault->first >= 0);
        for (const int64_t c : {fault->first, fault->second}) {
            if (c < 0)
                continue;
            const List mine = listed(lists[static_cast<size_t>(c)]);
            EXPECT_GE(std::count(mine.begin(), mine.end(), fault->index), fault->first == fault->second ? 2 : 1);
        }
    }
}

// Lists that are kept as indices answer as those that are kept as runs do, and so does the wire form. There are
// enough of them to be sorted in sections.
TEST(IndexedParts, kept_as_indices_answer_alike) {
    Dice dice(3);
    for (int round = 0; round < 4; ++round) {
        const int64_t n = dice.range(6000, 9000), parts = dice.range(1, 3);
        std::vector<List> given(static_cast<size_t>(parts));
        for (int64_t i = 0; i < n; ++i) // some indices several times, some never
            given[static_cast<size_t>(dice.range(0, parts - 1))].push_back(dice.range(0, n - 1));
        std::vector<model::IndexList> lists;
        for (const List &indices : given)
            lists.push_back(model::compress(indices));
        const model::IndexedParts runs(lists, n, {}), indices(lists, n, {}, model::KeepLists::as_indices);
        ASSERT_TRUE(indices.scattered());
        const auto bytes_of = [](const model::IndexedPart &part) {
            Writer out;
            part.put(out);
            return out.take();
        };
        for (int64_t c = 0; c < parts; ++c) {
            EXPECT_EQ(bytes_of(indices.part(c)), bytes_of(runs.part(c)));
            EXPECT_GE(indices.part(c).wire_bytes(), std::ssize(bytes_of(runs.part(c))));
            EXPECT_EQ(indices.part(c).num_runs(), runs.part(c).num_runs());
            for (int64_t i = 0; i < runs.part(c).length(); i += 100)
                EXPECT_EQ(indices.part(c).index(i), given[static_cast<size_t>(c)][static_cast<size_t>(i)]);
        }
        EXPECT_EQ(indices.kept_bytes(), 0);
        std::vector<std::array<int64_t, 4>> found, expected;
        indices.each(0, n, [&](const model::ListStretch &s) { found.push_back({s.lo, s.part, s.block, s.hi}); });
        for (int64_t c = 0; c < parts; ++c)
            for (size_t i = 0; i < given[static_cast<size_t>(c)].size(); ++i) {
                const int64_t index = given[static_cast<size_t>(c)][i];
                if (i > 0 && index == given[static_cast<size_t>(c)][i - 1] + 1)
                    ++expected.back()[3];
                else
                    expected.push_back({index, c, static_cast<int64_t>(i), index + 1});
            }
        std::sort(expected.begin(), expected.end());
        EXPECT_EQ(found, expected);
        EXPECT_GE(indices.kept_bytes(), 16 * std::ssize(found));
        EXPECT_EQ(indices.find_fault().has_value(), runs.find_fault().has_value());
        for (int64_t c = 0; c < parts; ++c)
            EXPECT_EQ(indices.part(c).list(), runs.part(c).list());
    }
}

// Repeats are found with one bit per index in small arrays, and by sorting in large ones.
TEST(IndexedPart, splits_lists_identically_in_arrays_of_any_size) {
    Dice dice(8);
    for (int round = 0; round < rounds(300); ++round) {
        const int64_t n = dice.range(1, 60);
        const model::IndexList list = random_lists(dice, n, 1, false)[0];
        const model::IndexedPart near(list, n, {}), far(list, int64_t{1} << 62, {});
        EXPECT_EQ(near.firsts().lists(), far.firsts().lists());
        EXPECT_EQ(near.repeats(), far.repeats());
        const List all = listed(list);
        EXPECT_EQ(near.lowest(), all.empty() ? 0 : *std::min_element(all.begin(), all.end()));
        EXPECT_EQ(near.end(), all.empty() ? 0 : *std::max_element(all.begin(), all.end()) + 1);
        std::vector<bool> seen(static_cast<size_t>(n));
        List firsts(all.size(), -1), repeats(all.size(), -1), shown_firsts = firsts, shown_repeats = repeats;
        for (size_t i = 0; i < all.size(); ++i) {
            (seen[static_cast<size_t>(all[i])] ? repeats : firsts)[i] = all[i];
            seen[static_cast<size_t>(all[i])] = true;
        }
        const auto show = [](const std::vector<model::Runs> &lists, List &out) {
            for (const model::Runs &r : lists)
                for (int64_t k = 0; k < r.count; ++k)
                    for (int64_t i = 0; i < r.size; ++i)
                        out[static_cast<size_t>(r.local + k * r.local_step + i)] =
                            r.global + k * r.global_step + i;
        };
        show(near.firsts().lists(), shown_firsts);
        show(near.repeats(), shown_repeats);
        EXPECT_EQ(shown_firsts, firsts);
        EXPECT_EQ(shown_repeats, repeats);
    }
}

TEST(IndexedParts, without_a_pattern_are_checked_for_tiling) {
    constexpr int64_t n = 4000;
    List order(n);
    std::iota(order.begin(), order.end(), 0);
    Dice dice(6);
    dice.shuffle(order);
    const auto fault = [&] {
        const auto middle = order.begin() + 1000;
        return model::IndexedParts(
                   {model::compress({order.begin(), middle}), model::compress({middle, order.end()})}, n, {})
            .find_fault();
    };
    EXPECT_FALSE(fault());
    const int64_t lost = order[5], kept = order[3000];
    order[5] = kept; // now it occurs twice, and the other index is missing
    const auto found = fault();
    ASSERT_TRUE(found);
    EXPECT_EQ(found->index, std::min(lost, kept));
    EXPECT_EQ(found->first, lost < kept ? -1 : 0);
    EXPECT_EQ(found->second, lost < kept ? -1 : 1);
    order[5] = lost;
    order.pop_back();
    EXPECT_TRUE(fault());
}

TEST(IndexedParts, without_a_pattern_are_scattered) {
    constexpr int64_t n = 4000;
    const auto scattered = [](const List &order, const model::Overlap &overlap) {
        const auto middle = order.begin() + n / 2;
        return model::IndexedParts(
                   {model::compress({order.begin(), middle}), model::compress({middle, order.end()})}, n, overlap)
            .scattered();
    };
    List rising(n), dealt, shuffled, in_tens;
    std::iota(rising.begin(), rising.end(), 0);
    for (const int64_t first : {0, 1})
        for (int64_t i = first; i < n; i += 2)
            dealt.push_back(i);
    Dice dice(4);
    shuffled = rising;
    dice.shuffle(shuffled);
    List tens(n / 10);
    std::iota(tens.begin(), tens.end(), 0);
    dice.shuffle(tens);
    for (const int64_t ten : tens)
        for (int64_t i = 0; i < 10; ++i)
            in_tens.push_back(10 * ten + i);
    for (const model::Overlap &overlap : {model::Overlap{}, model::Overlap{1, 2}}) {
        EXPECT_FALSE(scattered(rising, overlap));
        EXPECT_FALSE(scattered(dealt, overlap));
        EXPECT_TRUE(scattered(shuffled, overlap));
    }
    // Runs of ten: without overlap each run is one step of a walk. With overlap each index is a step, so a list of
    // runs that covers ten of them is worth its cost.
    EXPECT_TRUE(scattered(in_tens, {}));
    EXPECT_FALSE(scattered(in_tens, {1, 2}));
}

// One list has all indices in a row, the others have every second or third one. No lookup may search all stretches
// that start before an index: such a scan would take 10^10 steps.
TEST(IndexedParts, are_found_quickly_beside_one_long_stretch) {
    const int64_t n = rounds(200'000);
    List all(static_cast<size_t>(n)), second, third;
    std::iota(all.begin(), all.end(), 0);
    Dice dice(3);
    for (int64_t i = 0; i < n; i += dice.range(1, 2))
        second.push_back(i);
    for (int64_t i = 0; i < n; i += dice.range(1, 3))
        third.push_back(i);
    const auto has = [](const List &list, int64_t i) { return std::binary_search(list.begin(), list.end(), i); };
    for (const bool first : {true, false}) {
        const model::IndexedParts parts(
            first ? std::vector{model::compress(all), model::compress(second), model::compress(third)}
                  : std::vector{model::compress(second), model::compress(third), model::compress(all)},
            n, {});
        for (int64_t i = 0; i < n; ++i) {
            List expected = first ? List{0} : List{};
            if (has(second, i))
                expected.push_back(first ? 1 : 0);
            if (has(third, i))
                expected.push_back(first ? 2 : 1);
            if (!first)
                expected.push_back(2);
            ASSERT_EQ(parts.owners(i, i + 1), expected) << i;
            ASSERT_EQ(parts.first_owner(i), expected.front()) << i;
        }
    }
}

} // namespace dri::test
