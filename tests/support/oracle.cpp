#include "oracle.hpp"

#include <algorithm>
#include <stdexcept>

namespace dri::test {

namespace {

bool has_limits(const CutRule &rule) { return rule.min > 0 || rule.max > 0 || rule.multiple > 1; }

size_t at(int64_t i) { return static_cast<size_t>(i); }

} // namespace

std::vector<int64_t> plain_owners(const CutRule &rule, int64_t size, int64_t parts) {
    std::vector<int64_t> owners(at(size), 0);
    if (rule.kind == CutKind::block_cyclic) {
        for (int64_t i = 0; i < size; ++i)
            owners[at(i)] = i / rule.block % parts;
    } else if (rule.kind == CutKind::sizes) {
        int64_t i = 0;
        for (int64_t c = 0; c < parts; ++c)
            for (int64_t k = 0; k < rule.sizes[at(c)]; ++k)
                owners[at(i++)] = c;
    } else if (rule.kind == CutKind::block && rule.remainder == Remainder::proportional) {
        for (int64_t i = 0; i < size; ++i)
            owners[at(i)] = i * parts / size;
    } else if (rule.kind == CutKind::block) {
        int64_t i = 0;
        for (int64_t c = 0; c < parts; ++c) {
            int64_t n = size / parts; // parts differ by at most one
            if (rule.remainder == Remainder::balanced && c < size % parts)
                ++n;
            if (rule.remainder == Remainder::balanced_last && parts - 1 - c < size % parts)
                ++n;
            if (rule.remainder == Remainder::ceil)
                n = (size + parts - 1) / parts;
            for (int64_t k = 0; k < n && i < size; ++k)
                owners[at(i++)] = c;
        }
    }
    return owners;
}

std::vector<int64_t> part_sizes(const std::vector<int64_t> &owners, int64_t parts) {
    std::vector<int64_t> sizes(at(parts), 0);
    for (int64_t c : owners)
        ++sizes[at(c)];
    return sizes;
}

bool meets_limits(const CutRule &rule, const std::vector<int64_t> &sizes) {
    size_t last = 0;
    for (size_t c = 0; c < sizes.size(); ++c)
        if (sizes[c] > 0)
            last = c;
    for (size_t c = 0; c < sizes.size(); ++c) {
        const int64_t n = sizes[c];
        if (n == 0)
            continue;
        if (n < rule.min || (rule.max > 0 && n > rule.max))
            return false;
        if (rule.multiple > 0 && n % rule.multiple != 0 && c != last)
            return false;
    }
    return true;
}

bool can_be_cut(const CutRule &rule, int64_t size, int64_t parts) {
    if (rule.kind != CutKind::block) {
        if (rule.kind == CutKind::sizes) {
            int64_t total = 0;
            for (int64_t s : rule.sizes)
                total += s;
            if (total != size || static_cast<int64_t>(rule.sizes.size()) != parts)
                return false;
        }
        return meets_limits(rule, part_sizes(plain_owners(rule, size, parts), parts));
    }
    if (!has_limits(rule) || size == 0)
        return true;
    const int64_t least = std::max<int64_t>(rule.min, 1), most = rule.max > 0 ? rule.max : size;
    const int64_t unit = std::max<int64_t>(rule.multiple, 1);
    // Fewest parts before the last one that hold the first i indices.
    std::vector<int64_t> fewest(at(size + 1), INT64_MAX);
    fewest[0] = 0;
    for (int64_t i = 0; i <= size; ++i) {
        if (fewest[at(i)] >= parts)
            continue;
        if (i < size && size - i >= least && size - i <= most)
            return true; // the last part takes the rest
        for (int64_t n = unit; n <= most && i + n <= size; n += unit)
            if (n >= least)
                fewest[at(i + n)] = std::min(fewest[at(i + n)], fewest[at(i)] + 1);
    }
    return false;
}

std::vector<Dims> legal_grids(const SideSpec &spec) {
    const auto procs = static_cast<int64_t>(spec.ranks.size());
    Dims tries; // along each dimension, the numbers of parts 1 .. tries
    bool open = false;
    for (const CutRule &rule : spec.rules) {
        const bool chosen = rule.nparts == 0 && rule.kind != CutKind::whole;
        open = open || chosen;
        tries.push_back(chosen ? procs : 1);
    }
    std::vector<Dims> grids;
    for_each_index(tries, [&](const Dims &choice) {
        Dims grid;
        int64_t parts = 1;
        for (size_t d = 0; d < choice.size(); ++d) {
            const CutRule &rule = spec.rules[d];
            grid.push_back(tries[d] > 1 ? choice[d] + 1 : std::max<int64_t>(rule.nparts, 1));
            parts *= grid[d];
            if (parts > procs)
                return;
        }
        if (procs % parts != 0 || (open && procs != parts))
            return;
        for (size_t d = 0; d < choice.size(); ++d)
            if (!can_be_cut(spec.rules[d], spec.sizes[d], grid[d]))
                return;
        grids.push_back(grid);
    });
    return grids;
}

std::optional<Dims> plain_strides(const Layout &layout, const Dims &extents) {
    if (layout.kind == LayoutKind::strided)
        return layout.strides;
    if (layout.pitch == pitch_auto && extents.size() > 1)
        return std::nullopt;
    const size_t n = extents.size();
    Dims strides(n, 1);
    int64_t step = 1;
    for (size_t i = 0; i < n; ++i) { // from the contiguous dimension on
        size_t d = n - 1 - i;
        if (layout.kind == LayoutKind::col_major)
            d = i;
        if (layout.kind == LayoutKind::packed)
            d = static_cast<size_t>(layout.order[n - 1 - i]);
        strides[d] = step;
        int64_t width = extents[d];
        if (i == 0 && n > 1 && layout.pitch > 0)
            while (width % layout.pitch != 0)
                ++width;
        step *= width;
    }
    return strides;
}

SideOracle::SideOracle(const TransferCase &c, const SideSpec &spec, const Side &side)
    : offset_(spec.offset), sizes_(spec.sizes), grid_(side.dist->grid()) {
    const auto grids = legal_grids(spec);
    if (std::find(grids.begin(), grids.end(), grid_) == grids.end())
        throw std::runtime_error("illegal grid");
    for (size_t d = 0; d < sizes_.size(); ++d) {
        const CutRule &rule = spec.rules[d];
        parts_ *= grid_[d];
        std::vector<int64_t> owners = plain_owners(rule, sizes_[d], grid_[d]);
        if (rule.kind == CutKind::block && has_limits(rule)) {
            CutRule chosen{.kind = CutKind::sizes, .sizes = {}};
            int64_t total = 0;
            for (int64_t p = 0; p < grid_[d]; ++p) {
                chosen.sizes.push_back(side.dist->cut(d).part(p).owned());
                total += chosen.sizes.back();
            }
            if (total != sizes_[d] || !meets_limits(rule, chosen.sizes))
                throw std::runtime_error("sizes break the constraints");
            owners = plain_owners(chosen, sizes_[d], grid_[d]);
        }
        std::vector<int64_t> counts(at(grid_[d]), 0), local;
        for (int64_t owner : owners)
            local.push_back(counts[at(owner)]++);
        owners_.push_back(std::move(owners));
        local_.push_back(std::move(local));
        counts_.push_back(std::move(counts));
    }
    for (int p = 0; p < static_cast<int>(spec.ranks.size()); ++p) {
        const Layout &layout = spec.layouts[spec.layouts.size() == 1 ? 0 : static_cast<size_t>(p)];
        auto strides = plain_strides(layout, extents(p));
        if (!strides) {
            // The automatic pitch is some width of the rows that holds them, the same layout otherwise.
            const Placement placed = place(layout, extents(p), c.type_of(spec));
            const size_t n = sizes_.size();
            size_t row = n - 1, next = n - 2;
            if (layout.kind == LayoutKind::col_major)
                row = 0, next = 1;
            if (layout.kind == LayoutKind::packed)
                row = static_cast<size_t>(layout.order[n - 1]), next = static_cast<size_t>(layout.order[n - 2]);
            Layout fixed = layout;
            fixed.pitch = placed.strides[next];
            if (fixed.pitch < extents(p)[row])
                throw std::runtime_error("automatic pitch cuts rows");
            strides = plain_strides(fixed, extents(p));
        }
        strides_.push_back(*strides);
    }
}

Dims SideOracle::coords(int64_t part) const {
    Dims out(grid_.size(), 0);
    for (int64_t p = 0; p < part; ++p) { // counts in row-major order
        size_t d = grid_.size();
        while (d > 0 && ++out[d - 1] == grid_[d - 1])
            out[--d] = 0;
    }
    return out;
}

Dims SideOracle::extents(int position) const {
    const Dims at_coords = coords(position % parts_);
    Dims out;
    for (size_t d = 0; d < sizes_.size(); ++d)
        out.push_back(counts_[d][at(at_coords[d])]);
    return out;
}

int64_t SideOracle::part_of(const Dims &index) const {
    int64_t part = 0;
    for (size_t d = 0; d < sizes_.size(); ++d)
        part = part * grid_[d] + owners_[d][at(index[d])];
    return part;
}

std::vector<HeldElement> SideOracle::holders(const Dims &index) const {
    Dims inside, local;
    for (size_t d = 0; d < sizes_.size(); ++d) {
        const int64_t i = index[d] - offset_[d];
        if (i < 0 || i >= sizes_[d])
            return {};
        inside.push_back(i);
        local.push_back(local_[d][at(i)]);
    }
    std::vector<HeldElement> out;
    const int64_t part = part_of(inside);
    for (int p = 0; p < positions(); ++p) {
        if (p % parts_ != part)
            continue;
        int64_t place = 0;
        for (size_t d = 0; d < sizes_.size(); ++d)
            place += local[d] * strides_[static_cast<size_t>(p)][d];
        out.push_back({p, place, local});
    }
    return out;
}

} // namespace dri::test
