// Checks whether a source tiles its array, and finds an element that shows otherwise.
#include "model/tiling.hpp"

#include "base/checked.hpp"
#include "base/sorted.hpp"

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

// near: the positions of the nearest pieces before and behind the element, along any dimension.
[[noreturn]] void fail_gap(const Distribution &dist, const Dims &index, const std::vector<int> &near) {
    std::vector<int> ranks;
    for (const int position : near)
        ranks.push_back(dist.group().rank(position));
    ranks = sorted_once(std::move(ranks));
    if (ranks.empty())
        fail(DRI_ERR_GAP, "the pieces of the source {} leave out element {}; no piece is in line with it",
             to_text(dist), element_text(index));
    const char *const who = ranks.size() == 1 ? "process" : "processes";
    fail(DRI_ERR_GAP,
         "the pieces of the source {} leave out element {}; the nearest ones in line with it are of {} {}",
         to_text(dist), element_text(index), who, to_text(Group(std::move(ranks))));
}

// The parts with the nearest index before and behind one that no part has.
std::vector<int64_t> nearest_parts(const Cut &cut, int64_t index) {
    const IndexedParts &parts = *cut.indexed();
    std::optional<std::pair<int64_t, int64_t>> before, behind; // index, part
    for (int64_t c = 0; c < cut.nparts(); ++c)
        for (const Runs &r : parts.part(c).list()) {
            const int64_t count = r.global_step > 0 ? r.count : 1; // a run that repeats counts once
            const int64_t passed = index < r.global ? 0
                                   : count == 1     ? 1
                                                    : std::min((index - r.global) / r.global_step + 1, count);
            if (passed > 0) // runs that start before the index end before it, too
                before = std::max(before.value_or(std::pair(int64_t{-1}, c)),
                                  std::pair(r.global + (passed - 1) * r.global_step + r.size - 1, c));
            if (passed < count) {
                const std::pair next(r.global + passed * r.global_step, c);
                behind = std::min(behind.value_or(next), next);
            }
        }
    std::vector<int64_t> nearest;
    for (const auto &found : {before, behind})
        if (found)
            nearest.push_back(found->second);
    return nearest;
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
        if (fault->first < 0) {
            std::vector<int> near;
            for (const int64_t c : nearest_parts(dist.cut(d), fault->index)) {
                first[d] = c;
                near.push_back(dist.position_of_part(dist.part_of_coords(first), 0));
            }
            fail_gap(dist, index, near);
        }
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

// The positions of the nearest boxes before and behind an element that no box owns, along each dimension.
std::vector<int> nearest_boxes(const Distribution &dist, const Dims &index) {
    const Boxes &boxes = dist.boxes();
    std::vector<int> nearest;
    for (size_t d = 0; d < index.size(); ++d)
        for (const bool behind : {false, true}) {
            Range line{index, index};
            for (size_t e = 0; e < index.size(); ++e)
                ++line.hi[e];
            (behind ? line.hi[d] : line.lo[d]) = behind ? dist.gdo().sizes[d] : 0;
            std::optional<int> best;
            boxes.owned_tree().each(line, [&](int p) {
                const auto gap = [&](int q) {
                    return behind ? boxes[q][d].lo - index[d] : index[d] - boxes[q][d].hi;
                };
                if (!best || gap(p) < gap(*best))
                    best = p;
                return true;
            });
            if (best)
                nearest.push_back(*best);
        }
    return nearest;
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
    const int64_t owned = covered(boxes, left);
    if (owned == volume(left))
        return;
    if (owned == 0)
        fail(DRI_ERR_GAP,
             "all pieces of the source {} are empty: DRI_part_create takes the indices of each process's own "
             "piece, "
             "DRI_part_create_rule takes rules",
             to_text(dist));
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
    fail_gap(dist, left.lo, nearest_boxes(dist, left.lo));
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
