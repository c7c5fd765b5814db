// Checks whether a source tiles its array, and finds an element that shows otherwise.
#include "model/tiling.hpp"

#include "base/checked.hpp"

#include <algorithm>

namespace dri::model {

namespace {

// An element's index as text: "(5)", "(3,4)".
std::string element_text(const Dims &index) {
    return fmt::format("({})", fmt::join(index.begin(), index.end(), ","));
}

[[noreturn]] void fail_overlap(const Distribution &dist, const Dims &index, int first, int second) {
    const int a = dist.group().rank(first), b = dist.group().rank(second);
    if (first == second)
        fail(DRI_ERR_OVERLAP, "the pieces of the source {} overlap: element {}, process {} twice", to_text(dist),
             element_text(index), a);
    fail(DRI_ERR_OVERLAP, "the pieces of the source {} overlap: element {}, processes {} and {}", to_text(dist),
         element_text(index), a, b);
}

[[noreturn]] void fail_gap(const Distribution &dist, const Dims &index) {
    fail(DRI_ERR_GAP, "the pieces of the source {} leave out element {}", to_text(dist), element_text(index));
}

// Only lists of indices can overlap or leave gaps; other cuts tile by their form.
void check_lists(const Distribution &dist) {
    for (const int64_t size : dist.gdo().sizes)
        if (size == 0)
            return;
    for (size_t d = 0; d < dist.ndims(); ++d) {
        const IndexedParts *parts = dist.cut(d).indexed();
        const auto fault = parts ? parts->find_fault() : std::nullopt;
        if (!fault)
            continue;
        // The named element has this index here, and along every other dimension an index that some part has.
        Dims index(dist.ndims(), 0), first(dist.ndims(), 0);
        for (size_t e = 0; e < dist.ndims(); ++e) {
            const Cut &cut = dist.cut(e);
            for (int64_t c = 0; e != d && cut.indexed() && c < cut.nparts(); ++c)
                if (!cut.part(c).empty()) {
                    index[e] = cut.part(c).first();
                    break;
                }
            if (e != d)
                first[e] = cut.owner(index[e]).value_or(0);
        }
        index[d] = fault->index;
        if (fault->first < 0)
            fail_gap(dist, index);
        Dims second = first;
        first[d] = fault->first;
        second[d] = fault->second;
        fail_overlap(dist, index, dist.position_of_part(dist.part_of_coords(first), 0),
                     dist.position_of_part(dist.part_of_coords(second), 0));
    }
}

using Range = BoxTree::Range;

int64_t volume(const Range &r) {
    int64_t v = 1;
    for (size_t d = 0; d < r.lo.size(); ++d)
        v *= std::max<int64_t>(r.hi[d] - r.lo[d], 0);
    return v;
}

// How many elements of the range the boxes own. The boxes must not overlap.
int64_t covered(const Boxes &boxes, const Range &range) {
    int64_t sum = 0;
    boxes.owned_tree().each(range, [&](int p) {
        Range common = range;
        for (size_t d = 0; d < common.lo.size(); ++d) {
            common.lo[d] = std::max(common.lo[d], boxes[p][d].lo);
            common.hi[d] = std::min(common.hi[d], boxes[p][d].hi);
        }
        sum += volume(common);
        return true;
    });
    return sum;
}

// Overlap is searched first. Without overlap, a gap shows in the number of elements.
void check_boxes(const Distribution &dist) {
    const Boxes &boxes = dist.boxes();
    for (int p = 0; p < dist.group().size(); ++p) {
        Range mine;
        for (const BoxSide &s : boxes[p]) {
            mine.lo.push_back(s.lo);
            mine.hi.push_back(s.hi);
        }
        if (volume(mine) == 0)
            continue;
        int other = p;
        boxes.owned_tree().each(mine, [&](int q) {
            if (q != p)
                other = q;
            return other == p; // one overlapping box is enough
        });
        if (other == p)
            continue;
        Dims index = mine.lo;
        for (size_t d = 0; d < index.size(); ++d)
            index[d] = std::max(index[d], boxes[other][d].lo);
        fail_overlap(dist, index, std::min(p, other), std::max(p, other));
    }
    Range left{Dims(dist.ndims(), 0), dist.gdo().sizes};
    if (covered(boxes, left) == volume(left))
        return;
    // Halves the range and keeps the half with a gap, until one element is left.
    while (volume(left) > 1) {
        size_t longest = 0;
        for (size_t d = 1; d < dist.ndims(); ++d)
            if (left.hi[d] - left.lo[d] > left.hi[longest] - left.lo[longest])
                longest = d;
        const int64_t middle = left.lo[longest] + (left.hi[longest] - left.lo[longest]) / 2;
        Range half = left;
        half.hi[longest] = middle;
        if (covered(boxes, half) < volume(half))
            left = half;
        else
            left.lo[longest] = middle;
    }
    fail_gap(dist, left.lo);
}

} // namespace

void check_source(const Distribution &dist) {
    dist.check_once([&] { dist.is_grid() ? check_lists(dist) : check_boxes(dist); });
}

bool tiles(const Distribution &dist) {
    try {
        check_source(dist);
    } catch (const Error &) {
        return false;
    }
    return true;
}

} // namespace dri::model
