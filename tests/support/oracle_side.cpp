// One side of a case, element by element.
#include "oracle.hpp"

#include <algorithm>
#include <stdexcept>

namespace dri::test {

ShownRow plain_row(const std::vector<std::pair<int64_t, int64_t>> &blocks, int64_t size,
                   const model::Overlap &overlap) {
    ShownRow row;
    const auto show = [&](int64_t index, bool owned, bool pad) {
        row.index.push_back(index);
        row.owned.push_back(owned);
        row.pad.push_back(pad);
    };
    for (const auto &[lo, hi] : blocks)
        for (int64_t i = lo - overlap.left; i < hi + overlap.right; ++i) {
            if (i >= 0 && i < size) {
                show(i, i >= lo && i < hi, false);
                continue;
            }
            const model::Edge edge = i < 0 ? overlap.left_edge : overlap.right_edge;
            int64_t inside = i; // shifted by multiples of the array's size until inside
            while (edge == model::Edge::wrap && inside < 0)
                inside += size;
            while (edge == model::Edge::wrap && inside >= size)
                inside -= size;
            if (edge == model::Edge::wrap)
                show(inside, false, false);
            if (edge == model::Edge::pad_zero)
                show(ShownRow::zeros, false, true);
            if (edge == model::Edge::pad_replicate)
                show(i < 0 ? 0 : size - 1, false, true);
        }
    return row;
}

std::vector<std::pair<int64_t, int64_t>> plain_blocks(const std::vector<int64_t> &owners, int64_t c,
                                                      int64_t block) {
    std::vector<std::pair<int64_t, int64_t>> blocks;
    for (int64_t i = 0; i < std::ssize(owners); ++i) {
        if (owners[at(i)] != c)
            continue;
        if (!blocks.empty() && blocks.back().second == i && (block == 0 || i % block != 0))
            ++blocks.back().second;
        else
            blocks.emplace_back(i, i + 1);
    }
    return blocks;
}

SideOracle::SideOracle(const TransferCase &c, const SideSpec &spec, const planner::Side &side)
    : offset_(spec.offset), sizes_(spec.sizes) {
    if (spec.boxes.empty()) {
        cut(spec, side);
    } else {
        parts_ = std::ssize(spec.boxes);
        rows_.resize(sizes_.size());
        for (const model::Box &box : spec.boxes)
            for (size_t d = 0; d < sizes_.size(); ++d) {
                model::Overlap overlap = spec.rules[d].overlap;
                overlap.left = box[d].left;
                overlap.right = box[d].right;
                std::vector<std::pair<int64_t, int64_t>> blocks;
                if (box[d].lo < box[d].hi)
                    blocks.emplace_back(box[d].lo, box[d].hi);
                rows_[d].push_back(plain_row(blocks, sizes_[d], overlap));
            }
    }
    for (int p = 0; p < static_cast<int>(spec.ranks.size()); ++p)
        keys_.push_back(spec.boxes.empty() ? coords(p % parts_) : Dims(sizes_.size(), p));
    for (size_t d = 0; d < sizes_.size(); ++d) {
        own_local_.emplace_back();
        for (const ShownRow &row : rows_[d]) {
            std::vector<int64_t> &first = own_local_.back().emplace_back(at(sizes_[d]), -1);
            for (size_t i = row.index.size(); i-- > 0;)
                if (row.owned[i])
                    first[at(row.index[i])] = static_cast<int64_t>(i);
        }
    }
    for (int p = 0; p < static_cast<int>(spec.ranks.size()); ++p) {
        const model::Layout &layout = spec.layouts[spec.layouts.size() == 1 ? 0 : static_cast<size_t>(p)];
        auto strides = plain_strides(layout, extents(p));
        if (!strides) {
            // An automatic pitch may be any row width that holds the row. All else of the layout is unchanged.
            const model::BufferShape placed = model::buffer_shape(layout, extents(p), c.type_of(spec));
            const size_t n = sizes_.size();
            size_t row = n - 1, next = n - 2;
            if (layout.kind == model::LayoutKind::col_major)
                row = 0, next = 1;
            if (layout.kind == model::LayoutKind::packed)
                row = static_cast<size_t>(layout.order[n - 1]), next = static_cast<size_t>(layout.order[n - 2]);
            model::Layout fixed = layout;
            fixed.pitch = placed.strides[next];
            if (fixed.pitch < extents(p)[row])
                throw std::runtime_error("automatic pitch cuts rows");
            strides = plain_strides(fixed, extents(p));
        }
        strides_.push_back(*strides);
    }
}

void SideOracle::cut(const SideSpec &spec, const planner::Side &side) {
    grid_ = side.dist->grid();
    const auto grids = legal_grids(spec);
    if (std::find(grids.begin(), grids.end(), grid_) == grids.end())
        throw std::runtime_error("illegal grid");
    for (size_t d = 0; d < sizes_.size(); ++d) {
        const model::CutRule &rule = spec.rules[d];
        parts_ *= grid_[d];
        std::vector<ShownRow> &rows = rows_.emplace_back();
        if (rule.kind == model::CutKind::indices) {
            for (const model::IndexList &list : rule.lists) {
                std::vector<std::pair<int64_t, int64_t>> blocks;
                for (const int64_t i : listed(list))
                    blocks.emplace_back(i, i + 1);
                rows.push_back(plain_row(blocks, sizes_[d], rule.overlap));
            }
            continue;
        }
        std::vector<int64_t> owners;
        if ((rule.kind == model::CutKind::block || rule.kind == model::CutKind::weights) && has_limits(rule)) {
            model::CutRule chosen{.kind = model::CutKind::sizes, .sizes = {}};
            int64_t total = 0;
            for (int64_t p = 0; p < grid_[d]; ++p) {
                chosen.sizes.push_back(side.dist->cut(d).axis_view(p).owned());
                total += chosen.sizes.back();
                if (rule.kind == model::CutKind::weights && rule.weights[at(p)] == 0 && chosen.sizes.back() > 0)
                    throw std::runtime_error("a part without weight has elements");
            }
            if (total != sizes_[d] || !meets_limits(rule, chosen.sizes))
                throw std::runtime_error("sizes break the constraints");
            owners = plain_owners(chosen, sizes_[d], grid_[d]);
        } else {
            owners = plain_owners(rule, sizes_[d], grid_[d]);
        }
        for (int64_t p = 0; p < grid_[d]; ++p)
            rows.push_back(plain_row(plain_blocks(owners, p, rule.block), sizes_[d], rule.overlap));
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

const ShownRow &SideOracle::row(int position, size_t dim) const {
    return rows_[dim][at(keys_[at(position)][dim])];
}

Dims SideOracle::extents(int position) const {
    Dims out;
    for (size_t d = 0; d < sizes_.size(); ++d)
        out.push_back(std::ssize(row(position, d).index));
    return out;
}

int64_t SideOracle::offset_of(int position, const Dims &local) const {
    int64_t offset = 0;
    for (size_t d = 0; d < local.size(); ++d)
        offset += local[d] * strides_[at(position)][d];
    return offset;
}

int64_t SideOracle::span(int position, const model::Layout &layout) const {
    const Dims extent = extents(position);
    const size_t n = extent.size();
    int64_t last = 0;
    for (size_t d = 0; d < n; ++d) {
        if (extent[d] == 0)
            return 0;
        last += (extent[d] - 1) * strides_[at(position)][d];
    }
    if (layout.pitch == 0 || n < 2)
        return last + 1;
    const size_t slowest = layout.kind == model::LayoutKind::col_major ? n - 1
                           : layout.kind == model::LayoutKind::packed  ? static_cast<size_t>(layout.order[0])
                                                                       : 0;
    return strides_[at(position)][slowest] * extent[slowest];
}

std::vector<HeldElement> SideOracle::holders(const Dims &index) const {
    std::vector<HeldElement> out;
    for (int p = 0; p < positions(); ++p) {
        Dims local;
        for (size_t d = 0; d < sizes_.size(); ++d) {
            const int64_t i = index[d] - offset_[d];
            if (i < 0 || i >= sizes_[d])
                return {};
            if (const int64_t own = own_local_[d][at(keys_[at(p)][d])][at(i)]; own >= 0)
                local.push_back(own);
            else
                break;
        }
        if (local.size() == sizes_.size())
            out.push_back({p, offset_of(p, local), local});
    }
    return out;
}

std::vector<ShownElement> SideOracle::shown(int position) const {
    std::vector<ShownElement> out;
    for_each_index(extents(position), [&](const Dims &local) {
        std::optional<Dims> index = Dims{};
        for (size_t d = 0; d < sizes_.size(); ++d) {
            const int64_t i = row(position, d).index[at(local[d])];
            if (i == ShownRow::zeros)
                index.reset();
            if (index)
                index->push_back(i + offset_[d]);
        }
        out.push_back({{position, offset_of(position, local), local}, index});
    });
    return out;
}

bool tiles_plainly(const SideOracle &oracle, const SideSpec &spec) {
    bool once = true;
    const int64_t copies = oracle.positions() / oracle.parts();
    for (int p = 0; p < oracle.positions(); ++p)
        for (size_t d = 0; d < spec.sizes.size(); ++d) {
            std::vector<bool> seen(at(spec.sizes[d]), false);
            const ShownRow &row = oracle.row(p, d);
            for (size_t i = 0; i < row.index.size(); ++i) {
                once = once && !(row.owned[i] && seen[at(row.index[i])]);
                if (row.owned[i])
                    seen[at(row.index[i])] = true;
            }
        }
    for_each_index(spec.sizes, [&](Dims index) {
        for (size_t d = 0; d < index.size(); ++d)
            index[d] += spec.offset[d];
        once = once && std::ssize(oracle.holders(index)) == copies;
    });
    return once || model::count_elements(spec.sizes) == 0;
}

} // namespace dri::test
