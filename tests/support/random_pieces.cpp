#include "random_pieces.hpp"

#include <algorithm>
#include <numeric>

namespace dri::test {

namespace {

int64_t random_width(Dice &dice, int64_t n) {
    if (dice.chance(25))
        return 0;
    return dice.range(1, dice.chance(85) ? 3 : std::min<int64_t>(2 * n + 3, 25));
}

} // namespace

model::Overlap random_overlap(Dice &dice, int64_t n) {
    const auto edge = [&] {
        return dice.one_of({model::Edge::truncate, model::Edge::truncate, model::Edge::wrap, model::Edge::pad_zero,
                            model::Edge::pad_replicate});
    };
    const int64_t left = random_width(dice, n), right = random_width(dice, n);
    const model::Edge left_edge = edge();
    return {left, right, left_edge, dice.chance(60) ? left_edge : edge()};
}

std::vector<model::IndexList> random_lists(Dice &dice, int64_t n, int64_t parts, bool whole) {
    std::vector<std::vector<int64_t>> lists(static_cast<size_t>(parts));
    const auto any = [&]() -> std::vector<int64_t> & {
        return lists[static_cast<size_t>(dice.range(0, parts - 1))];
    };
    if (whole || dice.chance(30)) {
        // Consecutive indices in stretches of up to `longest`, each in a random list.
        std::vector<int64_t> order(static_cast<size_t>(n));
        std::iota(order.begin(), order.end(), 0);
        if (dice.chance(40))
            dice.shuffle(order);
        const int64_t longest = dice.range(1, 5);
        for (size_t i = 0; i < order.size();) {
            auto &list = any();
            for (int64_t k = dice.range(1, longest); k > 0 && i < order.size(); --k)
                list.push_back(order[i++]);
        }
        for (auto &list : lists)
            if (dice.chance(30))
                dice.shuffle(list);
    } else if (n > 0) {
        for (auto &list : lists) {
            int64_t at = dice.range(0, n - 1);
            for (int64_t k = dice.range(0, n + 2); k > 0; --k) {
                list.push_back(at);
                at = dice.chance(50) ? (at + dice.range(1, 3)) % n : dice.range(0, n - 1);
            }
        }
    }
    std::vector<model::IndexList> out;
    for (const auto &list : lists)
        out.push_back(model::compress(list));
    return out;
}

std::vector<model::Box> random_boxes(Dice &dice, const Dims &sizes, int64_t parts, bool whole) {
    std::vector<model::Box> boxes(1);
    for (const int64_t n : sizes)
        boxes[0].push_back({0, n, 0, 0});
    const auto ndims = static_cast<int64_t>(sizes.size());
    while (static_cast<int64_t>(boxes.size()) < parts) {
        // Splits one box in two at any index, so that the boxes form no grid.
        const auto which = static_cast<size_t>(dice.range(0, static_cast<int64_t>(boxes.size()) - 1));
        const auto d = static_cast<size_t>(dice.range(0, ndims - 1));
        const int64_t middle = dice.range(boxes[which][d].lo, boxes[which][d].hi);
        model::Box rest = boxes[which];
        boxes[which][d].hi = middle;
        rest[d].lo = middle;
        boxes.push_back(rest);
    }
    dice.shuffle(boxes);
    const bool overlap = dice.chance(whole ? 20 : 50);
    for (model::Box &box : boxes)
        for (size_t d = 0; d < box.size(); ++d) {
            model::BoxSide &s = box[d];
            if (!whole && dice.chance(40)) {
                s.lo = dice.range(0, sizes[d]);
                s.hi = dice.range(s.lo, sizes[d]);
            }
            if (overlap && dice.chance(ndims > 3 ? 25 : 70)) {
                s.left = random_width(dice, sizes[d]);
                s.right = random_width(dice, sizes[d]);
            }
        }
    return boxes;
}

} // namespace dri::test
