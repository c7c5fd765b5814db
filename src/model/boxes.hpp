// Boxes of an array, one per process, that need not form a grid.
#pragma once

#include "base/fixed_vector.hpp"
#include "base/wire.hpp"
#include "model/axis_view.hpp"
#include "model/box_tree.hpp"
#include "model/first_owners.hpp"

#include <span>

namespace dri {

// One box along one dimension: it owns [lo, hi) and wants left and right indices of overlap.
struct BoxSide {
    int64_t lo = 0, hi = 0, left = 0, right = 0;
    friend bool operator==(const BoxSide &, const BoxSide &) = default;
};

// Whether the indices that the side and its overlap have fit into 64 bits, counted on beyond such edges of an
// array of n.
bool fits_indices(const BoxSide &side, const Overlap &edges, int64_t n);

using Box = FixedVector<BoxSide, max_dims>;

void put(Writer &out, const Box &box);
Box get_box(Reader &in);

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
    AxisView axis_view(int position, size_t dim) const;

    // Positions whose part has an element of [lo, hi), which lies inside the array: owns it; owns it or has it in
    // its overlap or pad. In rising order. At least one dimension.
    std::vector<int> owners(std::span<const int64_t> lo, std::span<const int64_t> hi) const;
    std::vector<int> holders(std::span<const int64_t> lo, std::span<const int64_t> hi) const;
    // The first position that owns an index, if any. O(log P) along one dimension; in more as BoxTree::first says.
    std::optional<int> first_owner(std::span<const int64_t> index) const;

    const BoxTree &owned_tree() const { return owned_; }

private:
    std::vector<BoxTree::Range> owned_ranges() const;
    std::vector<BoxTree::Range> held_ranges() const;

    std::vector<Box> boxes_;
    Dims sizes_;
    std::vector<Overlap> edges_;
    BoxTree owned_, held_;
    FirstOwners first_owners_; // along one dimension
    Dims before_, after_;      // 1 where some part reaches round the array before its beginning or behind its end
};

} // namespace dri
