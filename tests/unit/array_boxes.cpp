// Differences of boxes, and the arithmetic of slices, against walks over all elements.
#include "array/pure.hpp"
#include "support/dice.hpp"

#include <gtest/gtest.h>

namespace dri::test {
namespace {

using Points = std::vector<std::vector<int64_t>>;

bool has(const DRI_Box &box, const std::vector<int64_t> &point) {
    for (size_t d = 0; d < point.size(); ++d)
        if (point[d] < box.offset[d] || point[d] >= box.offset[d] + box.size[d])
            return false;
    return true;
}

Points all_points(size_t ndims, int64_t n) {
    Points points{{}};
    for (size_t d = 0; d < ndims; ++d) {
        Points longer;
        for (const auto &head : points)
            for (int64_t i = 0; i < n; ++i) {
                longer.push_back(head);
                longer.back().push_back(i);
            }
        points = std::move(longer);
    }
    return points;
}

DRI_Box random_box(Dice &dice, size_t ndims, int64_t n) {
    DRI_Box box{};
    for (size_t d = 0; d < ndims; ++d) {
        box.offset[d] = dice.range(0, n - 1);
        box.size[d] = dice.range(dice.chance(10) ? 0 : 1, n - box.offset[d]);
    }
    return box;
}

TEST(Boxes, DifferencesAreDisjointAndHaveAllTheRest) {
    constexpr int64_t n = 6;
    for (uint64_t seed = 1; seed <= 2000; ++seed) {
        Dice dice(seed);
        const auto ndims = static_cast<size_t>(dice.range(1, 3));
        const DRI_Box box = random_box(dice, ndims, n), hole = random_box(dice, ndims, n);
        std::vector<DRI_Box> rest;
        array::append_difference(box, hole, static_cast<int>(ndims), rest);
        ASSERT_LE(rest.size(), 2 * ndims);
        const DRI_Box both = array::common_of(box, hole, static_cast<int>(ndims));
        const DRI_Box hull = array::hull_of(box, hole, static_cast<int>(ndims));
        for (const auto &point : all_points(ndims, n)) {
            int times = 0;
            for (const DRI_Box &one : rest)
                times += has(one, point);
            ASSERT_EQ(times, has(box, point) && !has(hole, point) ? 1 : 0) << "seed " << seed;
            ASSERT_EQ(has(both, point), has(box, point) && has(hole, point)) << "seed " << seed;
            if (has(box, point) || has(hole, point)) {
                ASSERT_TRUE(has(hull, point)) << "seed " << seed;
            }
        }
    }
}

TEST(Boxes, TargetsAreThePositionsThatAreHeld) {
    for (uint64_t seed = 1; seed <= 2000; ++seed) {
        Dice dice(seed);
        const DRI_Range slice{dice.range(0, 9), dice.range(1, 4), dice.range(0, 9)};
        const DRI_Box held{{dice.range(0, 30)}, {dice.range(0, 12)}};
        const DRI_Box target = array::target_of(1, held, &slice);
        const DRI_Box reads = array::reads_of(1, &slice, target);
        for (int64_t i = 0; i < slice.size; ++i) {
            const int64_t element = slice.first + i * slice.stride;
            const bool is_held = element >= held.offset[0] && element < held.offset[0] + held.size[0];
            ASSERT_EQ(has(target, {i}), is_held) << "seed " << seed;
            ASSERT_TRUE(!is_held || has(reads, {element})) << "seed " << seed;
        }
        ASSERT_TRUE(target.size[0] == 0 || array::is_inside(reads, held, 1)) << "seed " << seed;
    }
}

TEST(Boxes, DefaultPartsTile) {
    for (int64_t rows = 0; rows < 40; ++rows)
        for (int processes = 1; processes < 12; ++processes) {
            int64_t next = 0, least = rows, most = 0;
            for (int q = 0; q < processes; ++q) {
                const int64_t shape[]{rows, 3};
                const DRI_Box part = array::default_part(processes, q, 2, shape);
                ASSERT_EQ(part.offset[0], next);
                ASSERT_EQ(part.size[1], 3);
                ASSERT_GE(part.size[0], q ? most : 0) << "larger ones last";
                next += part.size[0];
                least = std::min(least, part.size[0]);
                most = std::max(most, part.size[0]);
            }
            ASSERT_EQ(next, rows);
            ASSERT_LE(most - least, 1);
        }
}

} // namespace
} // namespace dri::test
