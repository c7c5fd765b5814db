// Boxes: checks, what each position holds along a dimension, and the search for owners and holders.
#include "model/boxes.hpp"

#include "base/checked.hpp"
#include "base/sorted.hpp"

#include <algorithm>
#include <limits>

namespace dri::model {

void put(Writer &out, const Box &box) {
    out.put(static_cast<int64_t>(box.size()));
    for (const BoxSide &s : box)
        for (const int64_t v : {s.lo, s.hi, s.left, s.right})
            out.put(v);
}

Box get_box(Reader &in) {
    Box box;
    for (auto n = in.get<int64_t>(); n > 0; --n) {
        BoxSide s;
        for (int64_t *v : {&s.lo, &s.hi, &s.left, &s.right})
            *v = in.get<int64_t>();
        if (s.left < 0 || s.right < 0)
            fail(DRI_ERR_INTERNAL, "a piece has overlap of {} and {}", s.left, s.right);
        box.push_back(s);
    }
    return box;
}

namespace {

// The widths of a box between the array's edges, clipped if these truncate.
Overlap overlap_of(const BoxSide &s, const Overlap &edges, int64_t n) {
    return clipped({s.left, s.right, edges.left_edge, edges.right_edge}, n);
}

} // namespace

bool fits_indices(const BoxSide &side, const Overlap &edges, int64_t n) {
    return side.lo == side.hi || fits_indices(overlap_of(side, edges, n), n, 1, side.hi - side.lo);
}

namespace {

// Returns the boxes if all of them lie inside the array and their indices fit into 64 bits; fails otherwise.
std::vector<Box> checked(std::vector<Box> boxes, const Dims &sizes, const std::vector<Overlap> &edges) {
    for (size_t p = 0; p < boxes.size(); ++p)
        for (size_t d = 0; d < sizes.size(); ++d) {
            const BoxSide &s = boxes[p][d];
            if (s.lo < 0 || s.lo > s.hi || s.hi > sizes[d])
                fail(DRI_ERR_ARG,
                     "the tuple of position {} along dimension {}, [{}, {}), does not lie inside [0, {})", p, d,
                     s.lo, s.hi, sizes[d]);
            if (!fits_indices(s, edges[d], sizes[d]))
                fail(DRI_ERR_OVERFLOW, "the part of position {} along dimension {} does not fit into 64 bits", p,
                     d);
        }
    return boxes;
}

// In one dimension, first owners come from a list of stretches, which needs no tree.
FirstOwners owners_along(const std::vector<Box> &boxes) {
    std::vector<OwnedStretch> stretches;
    for (size_t p = 0; p < boxes.size(); ++p)
        if (boxes[p][0].lo < boxes[p][0].hi)
            stretches.push_back({boxes[p][0].lo, boxes[p][0].hi, static_cast<int64_t>(p)});
    std::sort(stretches.begin(), stretches.end(),
              [](const OwnedStretch &a, const OwnedStretch &b) { return a.lo < b.lo; });
    return FirstOwners(stretches);
}

} // namespace

Boxes::Boxes(std::vector<Box> boxes, const Dims &sizes, std::vector<Overlap> edges)
    : boxes_(checked(std::move(boxes), sizes, edges)), sizes_(sizes), edges_(std::move(edges)),
      owned_(owned_ranges()), held_(held_ranges()), before_(sizes.size(), 0), after_(sizes.size(), 0) {
    for (const Box &box : boxes_)
        for (size_t d = 0; d < sizes_.size(); ++d) {
            const BoxSide &s = box[d];
            if (s.lo == s.hi)
                continue;
            if (edges_[d].left_edge == Edge::wrap && s.left > s.lo)
                before_[d] = 1;
            if (edges_[d].right_edge == Edge::wrap && s.right > sizes_[d] - s.hi)
                after_[d] = 1;
        }
    if (sizes_.size() == 1)
        first_owners_ = owners_along(boxes_);
}

Overlap Boxes::overlap(int position, size_t dim) const {
    Overlap out = edges_[dim];
    out.left = (*this)[position][dim].left;
    out.right = (*this)[position][dim].right;
    return out;
}

PartAxis Boxes::axis(int position, size_t dim) const {
    const BoxSide &s = (*this)[position][dim];
    if (s.lo == s.hi)
        return {};
    return make_axis({{Runs{s.lo, s.hi - s.lo, 1, 0, 0, 0}, false}}, sizes_[dim],
                     overlap_of(s, edges_[dim], sizes_[dim]));
}

AxisView Boxes::axis_view(int position, size_t dim) const {
    const BoxSide &s = (*this)[position][dim];
    return AxisView::regular(sizes_[dim], overlap_of(s, edges_[dim], sizes_[dim]), s.lo, s.hi - s.lo, 0,
                             s.lo < s.hi ? 1 : 0);
}

std::vector<BoxTree::Range> Boxes::owned_ranges() const {
    std::vector<BoxTree::Range> ranges;
    for (const Box &box : boxes_) {
        BoxTree::Range &r = ranges.emplace_back();
        for (const BoxSide &s : box) {
            r.lo.push_back(s.lo);
            r.hi.push_back(s.hi);
        }
    }
    return ranges;
}

// The boxes with their overlap. Wrapped overlap extends a range beyond the array; holders() finds it there with
// copies of its range moved by the array's size. A range ends one array size beyond the edge, because a part that
// reaches further holds the whole array already. Repeated edge elements need no range: they belong to a part that
// reaches the edge.
std::vector<BoxTree::Range> Boxes::held_ranges() const {
    std::vector<BoxTree::Range> ranges = owned_ranges();
    for (size_t p = 0; p < boxes_.size(); ++p)
        for (size_t d = 0; d < boxes_[p].size(); ++d) {
            const BoxSide &s = boxes_[p][d];
            if (s.lo == s.hi)
                continue;
            const bool left_wraps = edges_[d].left_edge == Edge::wrap,
                       right_wraps = edges_[d].right_edge == Edge::wrap;
            const Wide lo = Wide{s.lo} - s.left, hi = Wide{s.hi} + s.right, n = sizes_[d];
            ranges[p].lo[d] = static_cast<int64_t>(std::max<Wide>(lo, left_wraps ? -n : 0));
            ranges[p].hi[d] = static_cast<int64_t>(std::min<Wide>(hi, right_wraps ? 2 * n : n));
        }
    return ranges;
}

std::vector<int> Boxes::owners(std::span<const int64_t> lo, std::span<const int64_t> hi) const {
    std::vector<int> out;
    owned_.each({Dims(lo.begin(), lo.end()), Dims(hi.begin(), hi.end())}, [&](int p) {
        out.push_back(p);
        return true;
    });
    return sorted_once(std::move(out));
}

std::optional<int> Boxes::first_owner(std::span<const int64_t> index) const {
    if (index.size() == 1) {
        const auto part = first_owners_.of(index[0]);
        return part ? std::optional(static_cast<int>(*part)) : std::nullopt;
    }
    return owned_.first(index);
}

std::vector<int> Boxes::holders(std::span<const int64_t> lo, std::span<const int64_t> hi) const {
    std::vector<int> out;
    // Searches for the range itself and, if overlap wraps, for its copies beyond the edges. Bounds are cut off at
    // 64 bits, because no part ends behind the largest number.
    Dims first, at;
    for (const int64_t before : before_)
        first.push_back(-before);
    const auto moved = [](int64_t i, int64_t by) {
        return static_cast<int64_t>(std::min<Wide>(Wide{i} + by, std::numeric_limits<int64_t>::max()));
    };
    for (at = first;;) {
        BoxTree::Range range;
        for (size_t d = 0; d < at.size(); ++d) {
            range.lo.push_back(moved(lo[d], at[d] * sizes_[d]));
            range.hi.push_back(moved(hi[d], at[d] * sizes_[d]));
        }
        held_.each(range, [&](int p) {
            out.push_back(p);
            return true;
        });
        // The next combination of shifts over all dimensions.
        size_t d = at.size();
        while (d > 0 && ++at[d - 1] > after_[d - 1]) {
            at[d - 1] = first[d - 1];
            --d;
        }
        if (d == 0)
            break;
    }
    return sorted_once(std::move(out));
}

} // namespace dri::model
