#include "planner/pieces.hpp"

#include "base/checked.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace dri {

int64_t buffer_bytes(const Side &side, int position) {
    const ElementType &type = side.dist->gdo().type;
    return place(side.layout(position), side.dist->extents(position), type).span * type.pitch();
}

PlacedPart placed_part(const Side &side, int position) {
    PlacedPart part;
    for (PartAxis &axis : side.dist->axes(position))
        part.sets.push_back(std::move(axis.owned));
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
        auto common = intersect(mine, cut.axis(c).owned, shift);
        if (!common.empty())
            partners.push_back({c, std::move(common)});
    }
    return partners;
}

namespace {

// What one dimension brings into a copy.
struct Share {
    CommonRuns first; // offsets and repeats; its size counts where there is no table
    Table table;
};

// Common runs that repeat alike, and are of one length or of too many, go into one table.
std::vector<Share> gather(const std::vector<CommonRuns> &common, int64_t src_stride, int64_t dst_stride,
                          int64_t even_tables) {
    const auto shape = [](const CommonRuns &c) {
        return std::tuple(c.outer.count, c.outer.a_step, c.outer.b_step, c.inner.count, c.inner.a_step,
                          c.inner.b_step);
    };
    std::map<decltype(shape(common[0])), std::map<int64_t, std::vector<const CommonRuns *>>> groups;
    for (const CommonRuns &c : common)
        groups[shape(c)][c.size].push_back(&c);
    std::vector<Share> shares;
    const auto add = [&](Share &share, const CommonRuns *c, int64_t steps) {
        share.table.entries.push_back({c->a_local * src_stride, c->b_local * dst_stride, steps});
    };
    for (const auto &[key, sizes] : groups) {
        if (static_cast<int64_t>(sizes.size()) > even_tables) {
            Share uneven{*sizes.begin()->second.front(), {src_stride, dst_stride, {}}};
            uneven.first.size = 1;
            for (const auto &[size, list] : sizes)
                for (const CommonRuns *c : list)
                    add(uneven, c, size);
            shares.push_back(std::move(uneven));
            continue;
        }
        for (const auto &[size, list] : sizes) {
            Share even{*list.front(), {}};
            for (const CommonRuns *c : list)
                add(even, c, 1);
            shares.push_back(std::move(even));
        }
    }
    for (Share &share : shares)
        share.first.a_local = share.first.b_local = 0; // the entries have them
    return shares;
}

Scalar scalar_of(const ElementType &type) {
    switch (component_kind(type)) {
    case ElementKind::int8: return Scalar::int8;
    case ElementKind::int16: return Scalar::int16;
    case ElementKind::int32: return Scalar::int32;
    case ElementKind::int64: return Scalar::int64;
    case ElementKind::uint8: return Scalar::uint8;
    case ElementKind::uint16: return Scalar::uint16;
    case ElementKind::uint32: return Scalar::uint32;
    case ElementKind::uint64: return Scalar::uint64;
    case ElementKind::float32: return Scalar::float32;
    case ElementKind::float64: return Scalar::float64;
    default: return Scalar::none;
    }
}

// One element: its bytes, or its parts where these lie apart or are converted.
StridedCopy element_copy(const Placement &source, const Placement &sink, double scale) {
    StridedCopy copy;
    copy.run_bytes = source.type.pitch();
    copy.conversion = make_conversion(scalar_of(source.type), scalar_of(sink.type), scale);
    if (!is_complex(source.type) || !(source.split || sink.split || copy.conversion))
        return copy;
    copy.run_bytes /= 2;
    copy.loops.push_back({2, source.part_bytes(), sink.part_bytes()});
    return copy;
}

std::vector<Share> plain_shares(const std::vector<CommonRuns> &common) {
    std::vector<Share> shares;
    for (const CommonRuns &c : common)
        shares.push_back({c, {}});
    return shares;
}

} // namespace

std::vector<StridedCopy> make_copies(const std::vector<std::vector<CommonRuns>> &common, const Placement &source,
                                     const Placement &sink, double scale, const Gathering &gathering) {
    const size_t ndims = common.size();
    const int64_t src_step = source.step_bytes(), dst_step = sink.step_bytes();
    const StridedCopy element = element_copy(source, sink, scale);
    int64_t combinations = 1;
    for (const auto &list : common)
        combinations = std::min(gathering.plain_copies + 1, combinations * static_cast<int64_t>(list.size()));
    if (combinations == 0)
        return {};
    std::vector<std::vector<Share>> shares;
    for (size_t d = 0; d < ndims; ++d)
        shares.push_back(combinations <= gathering.plain_copies
                             ? plain_shares(common[d])
                             : gather(common[d], source.strides[d] * src_step, sink.strides[d] * dst_step,
                                      gathering.even_tables));
    std::vector<StridedCopy> copies;
    std::vector<size_t> at(ndims, 0);
    while (true) {
        StridedCopy copy = element;
        for (size_t d = 0; d < ndims; ++d) {
            const auto &[c, table] = shares[d][at[d]];
            const int64_t src = source.strides[d] * src_step, dst = sink.strides[d] * dst_step;
            copy.src_offset += c.a_local * src;
            copy.dst_offset += c.b_local * dst;
            for (const Repeat &r : {c.outer, c.inner, Repeat{c.size, 1, 1}})
                if (r.count > 1)
                    copy.loops.push_back({r.count, r.a_step * src, r.b_step * dst});
            if (!table.entries.empty())
                copy.tables.push_back(table);
        }
        copies.push_back(canonical(std::move(copy)));
        size_t d = ndims;
        while (d > 0 && ++at[d - 1] == shares[d - 1].size())
            at[--d] = 0;
        if (d == 0)
            return copies;
    }
}

} // namespace dri
