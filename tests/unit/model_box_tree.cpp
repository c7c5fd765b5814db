// Search among overlapping boxes: compared with a walk over all boxes, and in a counted number of steps.
#include "model/box_tree.hpp"

#include "support/dice.hpp"
#include "support/sanitizer.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace dri::test {

namespace {

using Range = model::BoxTree::Range;
using Ranges = std::vector<Range>;

std::optional<int> first_by_walking(const Ranges &boxes, const Dims &index) {
    for (size_t i = 0; i < boxes.size(); ++i) {
        bool inside = true;
        for (size_t d = 0; d < index.size(); ++d)
            inside = inside && boxes[i].lo[d] <= index[d] && index[d] < boxes[i].hi[d];
        if (inside)
            return static_cast<int>(i);
    }
    return std::nullopt;
}

Range whole(size_t ndims, int64_t size) { return {Dims(ndims, 0), Dims(ndims, size)}; }

constexpr int64_t tree_side = 1 << 20; // length of the array along each dimension

// Bisects the range along any dimension, at one to two thirds, until each piece is one box.
void bisect(Dice &dice, const Range &range, int64_t count, Ranges &out, bool with_inner = false) {
    if (with_inner || count == 1)
        out.push_back(range);
    if (count == 1)
        return;
    size_t d = 0;
    for (size_t e = 1; e < range.lo.size(); ++e)
        if (range.hi[e] - range.lo[e] > range.hi[d] - range.lo[d])
            d = e;
    if (dice.chance(30))
        d = static_cast<size_t>(dice.range(0, static_cast<int64_t>(range.lo.size()) - 1));
    const int64_t extent = range.hi[d] - range.lo[d];
    const int64_t left = std::clamp<int64_t>(dice.range(count / 3, count - count / 3), 1, count - 1);
    Range low = range, high = range;
    low.hi[d] = high.lo[d] = range.lo[d] + dice.range(extent / 3, extent - extent / 3);
    bisect(dice, low, left, out, with_inner);
    bisect(dice, high, count - left, out, with_inner);
}

struct Family {
    const char *name;
    Ranges (*make)(Dice &dice, size_t ndims, int64_t count);
    bool shuffled;
    bool bounded; // every query takes few steps; otherwise only most of them do
};

Ranges grid(Dice &, size_t ndims, int64_t count) {
    const auto along =
        static_cast<int64_t>(std::pow(static_cast<double>(count), 1.0 / static_cast<double>(ndims)));
    Ranges out;
    Dims at(ndims, 0);
    for (size_t d = 0; d < ndims;) {
        Range r;
        for (const int64_t c : at) {
            r.lo.push_back(c * tree_side / along);
            r.hi.push_back((c + 1) * tree_side / along);
        }
        out.push_back(r);
        for (d = 0; d < ndims && ++at[d] == along; ++d)
            at[d] = 0;
    }
    return out;
}

Ranges bisection(Dice &dice, size_t ndims, int64_t count) {
    Ranges out;
    bisect(dice, whole(ndims, tree_side), count, out);
    return out;
}

Ranges bisection_with_inner_nodes(Dice &dice, size_t ndims, int64_t count) {
    Ranges out;
    bisect(dice, whole(ndims, tree_side), (count + 1) / 2, out, true);
    return out;
}

Ranges slabs(Dice &dice, size_t ndims, int64_t count) {
    const auto d = static_cast<size_t>(dice.range(0, static_cast<int64_t>(ndims) - 1));
    Ranges out(static_cast<size_t>(count), whole(ndims, tree_side));
    for (int64_t i = 0; i < count; ++i) {
        out[static_cast<size_t>(i)].lo[d] = i * tree_side / count;
        out[static_cast<size_t>(i)].hi[d] = (i + 1) * tree_side / count;
    }
    return out;
}

Ranges equal(Dice &, size_t ndims, int64_t count) {
    return Ranges(static_cast<size_t>(count), whole(ndims, tree_side));
}

// Each box lies in the previous one, off its centre.
Ranges nested(Dice &dice, size_t ndims, int64_t count) {
    Ranges out;
    Range r = whole(ndims, tree_side);
    const int64_t step = tree_side / (2 * count);
    for (int64_t i = 0; i < count; ++i) {
        out.push_back(r);
        for (size_t d = 0; d < ndims; ++d) {
            r.lo[d] += dice.range(0, step);
            r.hi[d] -= dice.range(0, step);
        }
    }
    return out;
}

Ranges nested_inside_first(Dice &dice, size_t ndims, int64_t count) {
    Ranges out = nested(dice, ndims, count);
    std::reverse(out.begin(), out.end());
    return out;
}

// Along each dimension a half or a quarter of the array.
Ranges random_large(Dice &dice, size_t ndims, int64_t count) {
    Ranges out;
    for (int64_t i = 0; i < count; ++i) {
        Range r;
        for (size_t d = 0; d < ndims; ++d) {
            const int64_t n = tree_side / dice.one_of<int64_t>({2, 4});
            r.lo.push_back(dice.range(0, tree_side - n));
            r.hi.push_back(r.lo[d] + n);
        }
        out.push_back(r);
    }
    return out;
}

// So small that an index lies in four boxes on average.
Ranges random_small(Dice &dice, size_t ndims, int64_t count) {
    Ranges out;
    const double share = std::pow(4.0 / static_cast<double>(count), 1.0 / static_cast<double>(ndims));
    const auto n = std::min(tree_side / 2, static_cast<int64_t>(share * static_cast<double>(tree_side)));
    for (int64_t i = 0; i < count; ++i) {
        Range r;
        for (size_t d = 0; d < ndims; ++d) {
            r.lo.push_back(dice.range(0, tree_side - n));
            r.hi.push_back(r.lo[d] + n);
        }
        out.push_back(r);
    }
    return out;
}

const std::vector<Family> families{
    {"grid", grid, false, true},
    {"grid, any order", grid, true, true},
    {"bisection", bisection, true, true},
    {"bisection with inner nodes", bisection_with_inner_nodes, true, true},
    {"slabs", slabs, true, true},
    {"equal", equal, false, true},
    {"nested", nested, false, true},
    {"nested, inside first", nested_inside_first, false, true},
    {"nested, any order", nested, true, true},
    {"random, large", random_large, false, false},
    {"random, small", random_small, false, false},
};

Ranges make(const Family &family, size_t ndims, int64_t count) {
    Dice dice(static_cast<uint64_t>(count) * 7 + ndims);
    Ranges boxes = family.make(dice, ndims, count);
    if (family.shuffled)
        dice.shuffle(boxes);
    return boxes;
}

// A random index, or one next to a corner of a box.
Dims random_index(Dice &dice, const Ranges &boxes) {
    const Range &r = boxes[static_cast<size_t>(dice.range(0, static_cast<int64_t>(boxes.size()) - 1))];
    Dims index;
    const bool anywhere = dice.chance(50);
    for (size_t d = 0; d < r.lo.size(); ++d)
        index.push_back(anywhere ? dice.range(0, tree_side - 1)
                                 : dice.one_of({r.lo[d], r.lo[d] - 1, r.hi[d], r.hi[d] - 1}));
    return index;
}

} // namespace

TEST(BoxTree, finds_the_same_boxes_as_a_scan) {
    Dice dice(5);
    for (int round = 0; round < rounds(300); ++round) {
        const int64_t ndims = dice.range(1, 4), n = dice.range(1, 300);
        std::vector<model::BoxTree::Range> boxes;
        const auto random_range = [&] {
            model::BoxTree::Range r;
            for (int64_t d = 0; d < ndims; ++d) {
                r.lo.push_back(dice.range(-20, 40));
                r.hi.push_back(r.lo[static_cast<size_t>(d)] + dice.range(0, 12));
            }
            return r;
        };
        for (int64_t i = 0; i < n; ++i)
            boxes.push_back(random_range());
        const model::BoxTree tree(boxes);
        for (int query = 0; query < 20; ++query) {
            model::BoxTree::Range range = random_range();
            std::vector<int> expected, found;
            for (size_t i = 0; i < boxes.size(); ++i) {
                bool meets = true;
                for (size_t d = 0; d < range.lo.size(); ++d)
                    meets = meets && std::max(range.lo[d], boxes[i].lo[d]) < std::min(range.hi[d], boxes[i].hi[d]);
                if (meets)
                    expected.push_back(static_cast<int>(i));
            }
            bool empty = false;
            for (size_t d = 0; d < range.lo.size(); ++d)
                empty = empty || range.lo[d] == range.hi[d];
            tree.each(range, [&](int i) {
                found.push_back(i);
                return true;
            });
            std::sort(found.begin(), found.end());
            if (!empty) {
                EXPECT_EQ(found, expected);
            }
        }
    }
}

TEST(BoxTree, finds_the_same_first_box_as_a_walk) {
    for (const Family &family : families)
        for (size_t ndims = 1; ndims <= 6; ++ndims)
            for (const int64_t count : {1, 2, 9, 700}) {
                const Ranges boxes = make(family, ndims, count);
                const model::BoxTree tree(boxes);
                Dice dice(11);
                for (int query = 0; query < rounds(200); ++query) {
                    const Dims index = random_index(dice, boxes);
                    ASSERT_EQ(tree.first({index.begin(), index.end()}), first_by_walking(boxes, index))
                        << family.name << ", " << ndims << " dimensions, " << count << " boxes";
                }
            }
}

// Steps grow with the logarithm of the number of boxes, not with the number of boxes that hold an index.
TEST(BoxTree, finds_the_first_in_few_steps) {
    for (const Family &family : families)
        for (const auto &[ndims, count] : {std::pair<size_t, int64_t>{1, 5'000},
                                           {2, 1'000},
                                           {2, 10'000},
                                           {2, 100'000},
                                           {3, 1'000},
                                           {3, 10'000},
                                           {6, 2'000}}) {
            if (sanitized && count > 1'000)
                continue;
            const Ranges boxes = make(family, ndims, count);
            const model::BoxTree tree(boxes);
            Dice dice(12);
            int64_t max = 0, sum = 0;
            constexpr int queries = 300;
            for (int query = 0; query < queries; ++query) {
                const Dims index = random_index(dice, boxes);
                int64_t steps = 0;
                tree.first({index.begin(), index.end()}, &steps);
                max = std::max(max, steps);
                sum += steps;
            }
            const double digits = std::log2(static_cast<double>(count));
            const auto what = fmt::format("{}, {} dimensions, {} boxes: {} steps at most, {} in all", family.name,
                                          ndims, count, max, sum);
            EXPECT_GT(sum, 0) << what;
            EXPECT_LE(static_cast<double>(sum) / queries, 8 * digits) << what;
            EXPECT_TRUE(!family.bounded || static_cast<double>(max) <= 6 * digits) << what;
        }
}

} // namespace dri::test
