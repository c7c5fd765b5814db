// Checks of a user's map: every index has one owner, and the boxes are those of the owners.
#include "domain/space.hpp"

#include <algorithm>

namespace dri::domain {

namespace {

std::string name_of(const Space &space) {
    const auto *user = std::get_if<UserMap>(&space.map().sort());
    return user ? fmt::format("the map '{}'", user->name()) : "the map " + space.map().rule();
}

std::string index_text(const Space &space, const Dims &dense) {
    Dims index(dense.size());
    space.get_index(dense, index.begin());
    return text_of_index({index.data(), index.size()});
}

void require_owner(const Space &space, const Dims &dense, int position) {
    Dims index(dense.size());
    space.get_index(dense, index.begin());
    const int owner = space.map().owner(index.data());
    if (owner != position)
        fail(DRI_ERR_MISMATCH, "{} says that {} belongs to position {}, but it is in a box of position {}",
             name_of(space), index_text(space, dense), owner, position);
}

// Calls f(dense) for each element of a box of dense indices.
template <class F> void for_each(const Ranges &box, F &&f) {
    Dims at;
    for (const DRI_Range &r : box) {
        if (r.size == 0)
            return;
        at.push_back(0);
    }
    Dims dense(box.size());
    for (;;) {
        for (size_t d = 0; d < box.size(); ++d)
            dense[d] = math::member_at(box[d], at[d]);
        f(dense);
        size_t d = box.size();
        while (d > 0 && ++at[d - 1] == box[d - 1].size)
            at[--d] = 0;
        if (d == 0)
            return;
    }
}

bool boxes_meet(const Ranges &a, const Ranges &b, Dims &where) {
    where.clear();
    for (size_t d = 0; d < a.size(); ++d) {
        const DRI_Range common = math::common_of(a[d], b[d]);
        if (common.size == 0)
            return false;
        where.push_back(common.first);
    }
    return true;
}

// One box of a position, with its bounds along the first dimension.
struct PlacedBox {
    int64_t low, high;
    int position;
    Ranges box;
};

// Above this many boxes a walk over all elements takes the place of one over pairs of boxes.
constexpr size_t most_pairs = 2048;

[[noreturn]] void fail_at_overlap(const Space &space, const Dims &dense, int a, int b) {
    fail(DRI_ERR_OVERLAP, "{} has {} in boxes of positions {} and {}", name_of(space), index_text(space, dense),
         std::min(a, b), std::max(a, b));
}

// Fails for an element that is in two boxes. Returns which elements are in one.
std::vector<bool> require_once(const Space &space) {
    std::vector<bool> seen(static_cast<size_t>(space.size()));
    for (int q = 0; q < space.map().num_positions(); ++q) {
        const Holding &holding = space.holding(q);
        for (int64_t i = 0; i < holding.num_boxes(); ++i)
            for_each(holding.box(i), [&](const Dims &dense) {
                const auto order = static_cast<size_t>(space.order_of(dense));
                for (int other = 0; seen[order] && other <= q; ++other)
                    if (space.holding(other).own_place(dense) >= 0)
                        fail_at_overlap(space, dense, other, q);
                seen[order] = true;
            });
    }
    return seen;
}

[[noreturn]] void fail_at_gap(const Space &space) {
    for (int64_t order = 0; order < space.size(); ++order) {
        const Dims dense = space.dense_at(order);
        bool is_owned = false;
        for (int q = 0; q < space.map().num_positions() && !is_owned; ++q)
            is_owned = space.holding(q).own_place(dense) >= 0;
        if (!is_owned)
            fail(DRI_ERR_GAP, "{} has {} in no box", name_of(space), index_text(space, dense));
    }
    fail(DRI_ERR_INTERNAL, "the boxes of {} have no gap", name_of(space));
}

} // namespace

void check_boxes(const Space &space) {
    std::vector<PlacedBox> boxes;
    for (int q = 0; q < space.map().num_positions(); ++q) {
        const Holding &holding = space.holding(q);
        for (int64_t i = 0; i < holding.num_boxes(); ++i) {
            const Ranges box = holding.box(i);
            boxes.push_back({math::low_of(box[0]), math::high_of(box[0]), q, box});
        }
    }
    std::sort(boxes.begin(), boxes.end(), [](const PlacedBox &a, const PlacedBox &b) { return a.low < b.low; });
    // Pairs of boxes cost more than elements if there are very many boxes.
    if (boxes.size() > most_pairs)
        require_once(space);
    else
        for (size_t i = 0; i < boxes.size(); ++i)
            for (size_t j = i + 1; j < boxes.size() && boxes[j].low <= boxes[i].high; ++j)
                if (Dims where; boxes_meet(boxes[i].box, boxes[j].box, where))
                    fail_at_overlap(space, where, boxes[i].position, boxes[j].position);
    int64_t owned = 0; // of boxes that do not meet, so at most the size of the domain
    for (int q = 0; q < space.map().num_positions(); ++q)
        owned += space.holding(q).owned();
    if (owned < space.size())
        fail_at_gap(space);
    for (const PlacedBox &one : boxes)
        for (unsigned corner = 0; corner < 1u << one.box.size(); ++corner) {
            Dims dense;
            for (size_t d = 0; d < one.box.size(); ++d)
                dense.push_back(math::member_at(one.box[d], (corner >> d & 1) ? one.box[d].size - 1 : 0));
            require_owner(space, dense, one.position);
        }
}

void check_members(const Space &space) {
    const std::vector<bool> seen = require_once(space);
    const auto gap = std::find(seen.begin(), seen.end(), false);
    if (gap != seen.end())
        fail(DRI_ERR_GAP, "{} has {} in no box", name_of(space),
             index_text(space, space.dense_at(gap - seen.begin())));
    for (int q = 0; q < space.map().num_positions(); ++q) {
        const Holding &holding = space.holding(q);
        for (int64_t i = 0; i < holding.num_boxes(); ++i)
            for_each(holding.box(i), [&](const Dims &dense) {
                require_owner(space, dense, q);
                require_owner(space, dense, q); // again: a map always answers alike
            });
    }
}

} // namespace dri::domain
