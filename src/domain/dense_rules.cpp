// Rules of dense distributions, from rules of maps in closed form where there are any, otherwise from lists.
#include "domain/dense_rules.hpp"
#include "outer/calls.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace dri::domain {

namespace {

using outer::require;

std::vector<int> all_below(int n) {
    std::vector<int> numbers(static_cast<size_t>(n));
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
}

// One dimension of a map of blocks. parts_of_map: which part of the map each part of the distribution is.
struct DimForm {
    DRI_Part_dim rule{};
    std::vector<int> parts_of_map;
    std::vector<int64_t> sizes; // DRI_SIZES
    bool needs_runs = false;    // otherwise a list
};

DimForm block_form(const DimRule &rule, const DRI_Range &range, bool with_overlap) {
    DimForm form;
    form.rule.kind = DRI_SIZES;
    form.rule.nparts = rule.nparts;
    for (int q = 0; q < rule.nparts; ++q) {
        form.parts_of_map.push_back(range.stride > 0 ? q : rule.nparts - 1 - q);
        form.sizes.push_back(runs_of(rule, range, form.parts_of_map.back()).size());
    }
    if (with_overlap) {
        form.rule.left = rule.left;
        form.rule.right = rule.right;
        form.rule.left_edge = rule.left_edge;
        form.rule.right_edge = rule.right_edge;
    }
    return form;
}

// Blocks of the distribution start at dense index 0, so the first block must be whole. Each further dense block
// belongs to the part `step` further.
DimForm cyclic_form(const DimRule &rule, const DRI_Range &range, bool for_all) {
    DimForm form;
    int p = rule.nparts;
    const math::Int128 period = math::Int128(rule.block) * p;
    const auto at = static_cast<int64_t>(math::modulo(math::Int128(range.first) - rule.start, period));
    const int64_t first_part = at / rule.block, inside = at % rule.block;
    int64_t step = 0;
    if (rule.block == 1)
        step = range.size == 1 ? 1 : static_cast<int64_t>(math::modulo(range.stride, p));
    else if (range.stride == 1 && inside == 0)
        step = 1;
    else if (range.stride == -1 && inside == rule.block - 1)
        step = p - 1;
    // Parts whose numbers have no multiple of the step own nothing.
    const auto both = static_cast<int>(std::gcd(step, int64_t{p}));
    form.needs_runs = both != 1 && (for_all || (step == 0 && rule.block != 1));
    if (!form.needs_runs)
        p /= both;
    form.rule.kind = DRI_BLOCK_CYCLIC;
    form.rule.nparts = p;
    form.rule.block = rule.block;
    // In its own order the group is that of other distributions, too.
    const bool keeps_order = form.needs_runs || step == 1;
    form.rule.phase = form.needs_runs || !keeps_order ? 0 : first_part;
    for (int64_t q = 0; q < p; ++q)
        form.parts_of_map.push_back(static_cast<int>(
            keeps_order ? q : static_cast<int64_t>((first_part + math::Int128(q) * step) % rule.nparts)));
    return form;
}

DimForm form_of(const DimRule &rule, const DRI_Range &range, const DenseChoice &choice) {
    if (range.size > 0 && rule.kind == DRI_BLOCK)
        return block_form(rule, range, choice.with_overlap);
    if (range.size > 0 && rule.kind == DRI_BLOCK_CYCLIC && rule.nparts > 1)
        return cyclic_form(rule, range, choice.for_all);
    DimForm form;
    form.rule.nparts = rule.nparts;
    form.rule.kind = rule.nparts > 1 ? DRI_BLOCK : DRI_WHOLE; // of no members, or of one part
    form.parts_of_map = all_below(rule.nparts);
    return form;
}

// Which coordinates of the map's grid the parts along each dimension have; in a dimension that is left out the one
// part that owns something.
struct Coordinates {
    std::vector<std::vector<int>> parts;
    std::vector<int> grid; // of the map

    // The ranks of the parts, row-major. of_cells: those of the map's grid.
    std::vector<int> ranks(const std::vector<int> &of_cells) const {
        size_t n = 1;
        for (const auto &along : parts)
            n *= along.size();
        std::vector<int> found;
        for (size_t q = 0; q < n; ++q) {
            size_t cell = 0, weight = 1, rest = q;
            for (size_t d = parts.size(); d-- > 0;) {
                cell += static_cast<size_t>(parts[d][rest % parts[d].size()]) * weight;
                weight *= static_cast<size_t>(grid[d]);
                rest /= parts[d].size();
            }
            found.push_back(of_cells[cell]);
        }
        return found;
    }
};

bool is_chosen(const DenseChoice &choice, size_t d) {
    return std::find(choice.dims.begin(), choice.dims.end(), d) != choice.dims.end();
}

void set_grid_rules(const Space &space, const GridMap &map, int position, const DenseChoice &choice,
                    DenseParts &parts) {
    Coordinates coordinates;
    for (size_t d = 0; d < space.ndims(); ++d) {
        const DimRule &rule = map.dims[d];
        const DRI_Range &range = space.ranges()[d];
        coordinates.grid.push_back(rule.nparts);
        if (!is_chosen(choice, d)) {
            coordinates.parts.push_back({part_of(rule, range.first)});
            continue;
        }
        DimForm form = form_of(rule, range, choice);
        coordinates.parts.push_back(form.parts_of_map);
        if (form.needs_runs) {
            add_runs(parts, space.holding(position).axes()[d].runs(), form.rule.nparts);
            continue;
        }
        parts.sizes[d] = std::move(form.sizes);
        form.rule.sizes = parts.sizes[d].empty() ? nullptr : parts.sizes[d].data();
        parts.rules.push_back(form.rule);
    }
    parts.ranks = coordinates.ranks(space.map().ranks());
}

// The part along a dimension that owns the one member of the domain there. Any part will do if there are no
// members.
int part_of_member(const DistMap &map, const Ranges &ranges, size_t d) {
    if (std::any_of(ranges.begin(), ranges.end(), [](const DRI_Range &r) { return r.size == 0; }))
        return 0;
    const Dims index = firsts_of(ranges);
    std::array<int, max_dims> coords;
    require(DRI_dist_get_coords(map.handle(), owner_rank_of(map, index.begin()), coords.data()));
    return coords[d];
}

void set_dist_rules(const Space &space, const DistMap &map, int position, const DenseChoice &choice,
                    DenseParts &parts) {
    Coordinates coordinates;
    const auto grid = space.map().grid();
    for (size_t d = 0; d < space.ndims(); ++d) {
        coordinates.grid.push_back(grid[d]);
        if (!is_chosen(choice, d)) {
            coordinates.parts.push_back({part_of_member(map, space.ranges(), d)});
            continue;
        }
        coordinates.parts.push_back(all_below(grid[d]));
        if (!is_whole(map, space.ranges())) {
            add_runs(parts, space.holding(position).axes()[d].runs(), grid[d]);
            continue;
        }
        DRI_Part_dim rule = rule_of(map, d);
        rule.nparts = rule.kind == DRI_WHOLE ? rule.nparts : grid[d];
        if (!choice.with_overlap) {
            rule.left = rule.right = 0;
            rule.left_edge = rule.right_edge = DRI_TRUNCATE;
        }
        parts.rules.push_back(rule);
    }
    parts.ranks = coordinates.ranks(map.ranks);
}

void set_user_rules(const Space &space, int position, const DenseChoice &choice, DenseParts &parts) {
    const UserHoldings &found = space.user_holdings();
    std::vector<int> of_cells(found.cells.size());
    for (size_t q = 0; q < found.cells.size(); ++q)
        of_cells[static_cast<size_t>(found.cells[q])] = space.map().ranks()[q];
    Coordinates coordinates;
    for (size_t d = 0; d < space.ndims(); ++d) {
        const auto &lists = found.lists[d];
        coordinates.grid.push_back(static_cast<int>(lists.size()));
        if (is_chosen(choice, d)) {
            coordinates.parts.push_back(all_below(coordinates.grid[d]));
            add_runs(parts, space.holding(position).axes()[d].runs(), coordinates.grid[d]);
            continue;
        }
        const auto owner = std::find_if(lists.begin(), lists.end(), [](int64_t members) { return members > 0; });
        // Any list will do if none has a member.
        coordinates.parts.push_back({owner == lists.end() ? 0 : static_cast<int>(owner - lists.begin())});
    }
    parts.ranks = coordinates.ranks(of_cells);
}

// Whether a rule of a distribution is closed for a range with this stride.
bool is_closed_rule(const DRI_Part_dim &rule, int64_t stride) {
    if (rule.kind == DRI_INDICES || rule.kind == DRI_RUNS)
        return false;
    return rule.kind != DRI_BLOCK_CYCLIC || rule.block == 1 || stride == 1 || stride == -1;
}

} // namespace

void add_runs(DenseParts &parts, std::vector<DRI_Run> runs, int nparts) {
    auto &kept = parts.runs[parts.rules.size()];
    kept = std::move(runs);
    DRI_Part_dim rule{};
    rule.kind = DRI_RUNS;
    rule.nparts = nparts;
    rule.runs = kept.data();
    rule.nruns = static_cast<int64_t>(kept.size());
    parts.rules.push_back(rule);
}

void set_rules(const Space &space, int position, const DenseChoice &choice, DenseParts &parts) {
    if (const auto *grid_map = std::get_if<GridMap>(&space.map().sort()))
        set_grid_rules(space, *grid_map, position, choice, parts);
    else if (const auto *dist_map = std::get_if<DistMap>(&space.map().sort()))
        set_dist_rules(space, *dist_map, position, choice, parts);
    else
        set_user_rules(space, position, choice, parts);
}

bool is_closed(const Space &space, const DenseChoice &choice) {
    const auto *grid_map = std::get_if<GridMap>(&space.map().sort());
    const auto *dist_map = std::get_if<DistMap>(&space.map().sort());
    for (const size_t d : choice.dims) {
        if (grid_map && form_of(grid_map->dims[d], space.ranges()[d], choice).needs_runs)
            return false;
        if (dist_map && !is_closed_rule(rule_of(*dist_map, d), space.ranges()[d].stride))
            return false;
    }
    return grid_map || dist_map;
}

} // namespace dri::domain
