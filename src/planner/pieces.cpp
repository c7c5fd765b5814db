#include "planner/pieces.hpp"

#include "base/checked.hpp"

#include <algorithm>
#include <numeric>

namespace dri {

int64_t buffer_bytes(const Side &side, int position) {
    const ElementType &type = side.dist->gdo().type;
    return place(side.layout(position), side.dist->extents(position), type).span * type.pitch();
}

PlacedPart placed_part(const Side &side, int position) {
    PlacedPart part{side.dist->sets(position), {}};
    part.placement = place(side.layout(position), side.dist->extents(position), side.dist->gdo().type);
    return part;
}

namespace {

// Coordinates of parts that may hold an index of the set, in rising order. Looks at runs one by one only where
// they are few: runs of a list look alike modulo the cut's period, and a list with more runs than a contiguous
// cut has parts names all parts that it spans.
std::vector<int64_t> candidates(const IndexSet &mine, const Cut &cut, int64_t shift) {
    std::vector<int64_t> coords;
    const auto add = [&](int64_t lo, int64_t hi) {
        lo = std::max<int64_t>(0, lo - shift);
        hi = std::min(cut.size(), hi - shift);
        if (lo >= hi)
            return;
        const auto owners = cut.owners(lo, hi);
        coords.insert(coords.end(), owners.begin(), owners.end());
    };
    for (const Runs &r : mine.lists()) {
        int64_t from = 0, to = r.count; // the runs that reach into the cut
        if (r.count > 1) {
            if (const int64_t before = shift - r.global - r.size; before >= 0)
                from = before / r.global_step + 1;
            to = std::min(to, ceil_div(std::max<int64_t>(shift + cut.size() - r.global, 0), r.global_step));
        }
        int64_t walk = to - from;
        // One more than a period has: the first one may reach in with its end alone.
        if (!cut.contiguous() && r.count > 1)
            walk = std::min(walk, cut.period() / std::gcd(cut.period(), r.global_step) + 1);
        if (walk > cut.nparts()) {
            add(r.global + from * r.global_step, r.global + (to - 1) * r.global_step + r.size);
            continue;
        }
        for (int64_t k = from; k < from + walk; ++k)
            add(r.global + k * r.global_step, r.global + k * r.global_step + r.size);
    }
    std::sort(coords.begin(), coords.end());
    coords.erase(std::unique(coords.begin(), coords.end()), coords.end());
    return coords;
}

} // namespace

std::vector<Partner> find_partners(const IndexSet &mine, const Cut &cut, int64_t shift) {
    std::vector<Partner> partners;
    for (int64_t c : candidates(mine, cut, shift)) {
        auto common = intersect(mine, cut.part(c), shift);
        if (!common.empty())
            partners.push_back({c, std::move(common)});
    }
    return partners;
}

std::vector<StridedCopy> make_copies(const std::vector<std::vector<CommonRuns>> &common, const Placement &source,
                                     const Placement &sink, int64_t element_bytes) {
    const size_t ndims = common.size();
    std::vector<StridedCopy> copies;
    std::vector<size_t> at(ndims, 0);
    for (const auto &list : common)
        if (list.empty())
            return copies;
    while (true) {
        StridedCopy copy;
        copy.run_bytes = element_bytes;
        for (size_t d = 0; d < ndims; ++d) {
            const CommonRuns &c = common[d][at[d]];
            const int64_t src = source.strides[d] * element_bytes, dst = sink.strides[d] * element_bytes;
            copy.src_offset += c.a_local * src;
            copy.dst_offset += c.b_local * dst;
            for (const Repeat &r : {c.outer, c.inner, Repeat{c.size, 1, 1}})
                if (r.count > 1)
                    copy.loops.push_back({r.count, r.a_step * src, r.b_step * dst});
        }
        copies.push_back(canonical(copy));
        size_t d = ndims;
        while (d > 0 && ++at[d - 1] == common[d - 1].size())
            at[--d] = 0;
        if (d == 0)
            return copies;
    }
}

} // namespace dri
