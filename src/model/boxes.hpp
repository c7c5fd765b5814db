// Boxes of an array, one per process, which need not form a grid.
#pragma once

#include "base/fixed_vector.hpp"
#include "base/wire.hpp"
#include "model/axis_view.hpp"
#include "model/box_tree.hpp"
#include "model/first_owners.hpp"

#include <span>

namespace dri::model {

// A box along one dimension: it owns [lo, hi) and requests `left` and `right` indices of overlap.
struct BoxSide {
    int64_t lo = 0, hi = 0, left = 0, right = 0;
    friend bool operator==(const BoxSide &, const BoxSide &) = default;
};

// Whether the indices of a side and of its overlap fit into 64 bits in an array of size n. Indices beyond the
// edges are counted on. An empty side always fits.
bool fits_indices(const BoxSide &side, const Overlap &edges, int64_t n);

using Box = FixedVector<BoxSide, max_dims>;

void put(Writer &out, const Box &box);
Box get_box(Reader &in);

// What each group position holds, if every process brings its own box.
class Boxes {
public:
    // sizes: those of the array. edges: one per dimension; the widths are those of the boxes. Fails with
    // DRI_ERR_ARG if a box is not inside the array; the message names its position. Fails with DRI_ERR_OVERFLOW if
    // the indices of a part do not fit into 64 bits.
    Boxes(std::vector<Box> boxes, const Dims &sizes, std::vector<Overlap> edges);

    const std::vector<Box> &all() const { return boxes_; }
    const Box &operator[](int position) const { return boxes_[static_cast<size_t>(position)]; }
    Overlap overlap(int position, size_t dim) const;
    PartAxis axis(int position, size_t dim) const;
    AxisView axis_view(int position, size_t dim) const;

    // owners(): positions whose part owns an element of [lo, hi). holders(): positions whose part owns such an
    // element, or has it in its overlap or pad. Both are in rising order. The range lies inside the array, which
    // has at least one dimension.
    std::vector<int> owners(std::span<const int64_t> lo, std::span<const int64_t> hi) const;
    std::vector<int> holders(std::span<const int64_t> lo, std::span<const int64_t> hi) const;
    // The first position that owns an index, if any. Cost: O(log P) in one dimension; in more, that of
    // BoxTree::first.
    std::optional<int> first_owner(std::span<const int64_t> index) const;

    const BoxTree &owned_tree() const { return owned_; }

private:
    std::vector<BoxTree::Range> owned_ranges() const;
    std::vector<BoxTree::Range> held_ranges() const;

    std::vector<Box> boxes_;
    Dims sizes_;
    std::vector<Overlap> edges_;
    BoxTree owned_, held_;
    FirstOwners first_owners_; // only in one dimension
    // 1 if the wrapped overlap of some part reaches beyond the array's start (before_) or its end (after_).
    Dims before_, after_;
};

} // namespace dri::model
