// Boxes of an array, one per process, that need not form a grid; and the search for those that a range meets.
#pragma once

#include "base/fixed_vector.hpp"
#include "base/wire.hpp"
#include "model/axis_places.hpp"

#include <algorithm>
#include <span>

namespace dri {

// One box along one dimension: it owns [lo, hi) and wants left and right indices of overlap.
struct BoxSide {
    int64_t lo = 0, hi = 0, left = 0, right = 0;
    friend bool operator==(const BoxSide &, const BoxSide &) = default;
};

using Box = FixedVector<BoxSide, max_dims>;

void put(Writer &out, const Box &box);
Box get_box(Reader &in);

// Which of many boxes meet a box: a packed tree whose leaves are sorted and tiled dimension by dimension. Built in
// O(P log P), asked in O(log P + results) where the boxes overlap little.
class BoxTree {
public:
    struct Range {
        Dims lo, hi; // half-open
    };
    explicit BoxTree(std::vector<Range> boxes); // empty boxes are never found

    // Calls f(number of the box) for each that meets the range, until f returns false.
    template <class F> void each(const Range &range, F f) const {
        if (!levels_.empty())
            visit(levels_.size() - 1, 0, range, f);
    }

private:
    static constexpr size_t fan_out = 8;
    static bool meet(const Range &a, const Range &b) {
        for (size_t d = 0; d < a.lo.size(); ++d)
            if (a.hi[d] <= b.lo[d] || b.hi[d] <= a.lo[d])
                return false;
        return true;
    }
    template <class F> bool visit(size_t level, size_t node, const Range &range, F &f) const {
        if (!meet(levels_[level][node], range))
            return true;
        if (level == 0)
            return f(order_[node]);
        const size_t end = std::min((node + 1) * fan_out, levels_[level - 1].size());
        for (size_t child = node * fan_out; child < end; ++child)
            if (!visit(level - 1, child, range, f))
                return false;
        return true;
    }
    void tile(size_t begin, size_t end, size_t dim, const std::vector<Range> &boxes);

    std::vector<int> order_;                 // boxes as the leaves have them
    std::vector<std::vector<Range>> levels_; // leaves first; the last one is the root alone
};

// What each group position holds, where every process brings its own box.
class Boxes {
public:
    // sizes: of the array. edges: per dimension; the widths come from the boxes. Fails with DRI_ERR_ARG where a
    // box is not inside the array, named by its position, and with DRI_ERR_OVERFLOW.
    Boxes(std::vector<Box> boxes, const Dims &sizes, std::vector<Overlap> edges);

    const std::vector<Box> &all() const { return boxes_; }
    const Box &operator[](int position) const { return boxes_[static_cast<size_t>(position)]; }
    Overlap overlap(int position, size_t dim) const;
    PartAxis axis(int position, size_t dim) const;
    AxisPlaces places(int position, size_t dim) const;

    // Positions whose part has an element of [lo, hi), which lies inside the array: owns it; owns it or has it in
    // its overlap or pad. In rising order. At least one dimension.
    std::vector<int> owners(std::span<const int64_t> lo, std::span<const int64_t> hi) const;
    std::vector<int> holders(std::span<const int64_t> lo, std::span<const int64_t> hi) const;

    const BoxTree &owned_tree() const { return owned_; }

private:
    std::vector<BoxTree::Range> owned_ranges() const;
    std::vector<BoxTree::Range> held_ranges() const;

    std::vector<Box> boxes_;
    Dims sizes_;
    std::vector<Overlap> edges_;
    BoxTree owned_, held_;
    Dims before_, after_; // 1 where some part reaches round the array before its beginning or behind its end
};

} // namespace dri
