// Makes dense distributions from rules, pieces and lists.
#include "domain/dense.hpp"

#include "base/checked.hpp"

#include <algorithm>
#include <numeric>

namespace dri::domain {

namespace {

using outer::require;

// What DRI_part_create_rule and DRI_group_create need. Rules point to the lists.
struct DenseParts {
    FixedVector<DRI_Part_dim, max_dims> rules;
    std::vector<std::vector<int64_t>> sizes{max_dims};
    std::vector<std::vector<DRI_Run>> runs{max_dims};
    std::vector<int> ranks; // of the world, in the order of the distribution's group
};

void set_runs(DenseParts &parts, size_t d, const AxisRuns &own, int nparts) {
    DRI_Part_dim rule{};
    rule.kind = DRI_RUNS;
    rule.nparts = nparts;
    parts.runs[d] = own.runs();
    rule.runs = parts.runs[d].data();
    rule.nruns = static_cast<int64_t>(parts.runs[d].size());
    parts.rules.push_back(rule);
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
DimForm cyclic_form(const DimRule &rule, const DRI_Range &range) {
    DimForm form;
    const int p = rule.nparts;
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
    form.needs_runs = std::gcd(step, int64_t{p}) != 1;
    form.rule.kind = DRI_BLOCK_CYCLIC;
    form.rule.nparts = p;
    form.rule.block = rule.block;
    // In its own order the group is that of other distributions, too.
    const bool keeps_order = form.needs_runs || step == 1;
    form.rule.phase = form.needs_runs || !keeps_order ? 0 : first_part;
    for (int64_t q = 0; q < p; ++q)
        form.parts_of_map.push_back(
            static_cast<int>(keeps_order ? q : static_cast<int64_t>((first_part + math::Int128(q) * step) % p)));
    return form;
}

DimForm form_of(const DimRule &rule, const DRI_Range &range, bool with_overlap) {
    if (range.size > 0 && rule.kind == DRI_BLOCK)
        return block_form(rule, range, with_overlap);
    if (range.size > 0 && rule.kind == DRI_BLOCK_CYCLIC && rule.nparts > 1)
        return cyclic_form(rule, range);
    DimForm form;
    form.rule.nparts = rule.nparts;
    form.rule.kind = rule.nparts > 1 ? DRI_BLOCK : DRI_WHOLE; // of no members, or of one part
    form.parts_of_map.resize(static_cast<size_t>(rule.nparts));
    std::iota(form.parts_of_map.begin(), form.parts_of_map.end(), 0);
    return form;
}

// The ranks of all parts of a row-major grid, each of which is these parts of the map.
std::vector<int> reordered(const DomainMap &map, const std::vector<DimForm> &forms) {
    std::vector<int> ranks;
    for (size_t q = 0; q < map.ranks().size(); ++q) {
        size_t position = 0, weight = 1, rest = q;
        for (size_t d = forms.size(); d-- > 0;) {
            const size_t n = forms[d].parts_of_map.size();
            position += static_cast<size_t>(forms[d].parts_of_map[rest % n]) * weight;
            weight *= n;
            rest /= n;
        }
        ranks.push_back(map.ranks()[position]);
    }
    return ranks;
}

void set_grid_rules(const Space &space, const GridMap &map, int position, bool with_overlap, DenseParts &parts) {
    const Holding &own = space.holding(position);
    std::vector<DimForm> forms;
    for (size_t d = 0; d < space.ndims(); ++d) {
        DimForm &form = forms.emplace_back(form_of(map.dims[d], space.ranges()[d], with_overlap));
        if (form.needs_runs) {
            set_runs(parts, d, own.axes()[d], form.rule.nparts);
            continue;
        }
        parts.sizes[d] = form.sizes;
        form.rule.sizes = parts.sizes[d].empty() ? nullptr : parts.sizes[d].data();
        parts.rules.push_back(form.rule);
    }
    parts.ranks = reordered(space.map(), forms);
}

void set_dist_rules(const Space &space, const DistMap &map, int position, bool with_overlap, DenseParts &parts) {
    parts.ranks = map.ranks;
    const auto grid = space.map().grid();
    for (size_t d = 0; d < space.ndims(); ++d) {
        if (!is_whole(map, space.ranges())) {
            set_runs(parts, d, space.holding(position).axes()[d], grid[d]);
            continue;
        }
        DRI_Part_dim rule;
        require(DRI_dist_get_rule(map.handle(), static_cast<int>(d), &rule));
        rule.nparts = rule.kind == DRI_WHOLE ? rule.nparts : grid[d];
        if (!with_overlap) {
            rule.left = rule.right = 0;
            rule.left_edge = rule.right_edge = DRI_TRUNCATE;
        }
        parts.rules.push_back(rule);
    }
}

void set_user_rules(const Space &space, int position, DenseParts &parts) {
    const UserHoldings &found = space.user_holdings();
    parts.ranks.resize(found.cells.size());
    for (size_t q = 0; q < found.cells.size(); ++q)
        parts.ranks[static_cast<size_t>(found.cells[q])] = space.map().ranks()[q];
    for (size_t d = 0; d < space.ndims(); ++d)
        set_runs(parts, d, space.holding(position).axes()[d], static_cast<int>(found.lists[d].size()));
}

// One box without strides, or none.
bool is_piece(const Holding &holding) {
    if (holding.num_boxes() > 1)
        return false;
    const Ranges box = holding.num_boxes() == 1 ? holding.box(0) : Ranges();
    return std::all_of(box.begin(), box.end(), [](const DRI_Range &r) { return r.size == 1 || r.stride == 1; });
}

outer::OwnedPart make_pieces(const Space &space, int position, bool with_overlap) {
    const Holding &own = space.holding(position);
    FixedVector<DRI_Part_tuple, max_dims> tuples(space.ndims());
    FixedVector<DRI_Edge, max_dims> left(space.ndims(), DRI_TRUNCATE), right(space.ndims(), DRI_TRUNCATE);
    if (own.num_boxes() == 1) {
        const Ranges box = own.box(0);
        for (size_t d = 0; d < space.ndims(); ++d)
            tuples[d] = {0, box[d].first, box[d].first + box[d].size, 0};
    }
    const auto *dist_map = std::get_if<DistMap>(&space.map().sort());
    for (size_t d = 0; with_overlap && dist_map && dist_map->overlaps && d < space.ndims(); ++d) {
        DRI_Part_dim rule;
        require(DRI_dist_get_rule(dist_map->handle(), static_cast<int>(d), &rule));
        tuples[d].left_v = rule.left;
        tuples[d].right_v = rule.right;
        left[d] = rule.left_edge;
        right[d] = rule.right_edge;
    }
    outer::OwnedPart pieces, part;
    require(DRI_part_create(static_cast<int>(space.ndims()), tuples.begin(), pieces.out()));
    require(DRI_part_with_edges(pieces.get(), left.begin(), right.begin(), part.out()));
    return part;
}

// A run of single dense indices or of unit-stride rows along the last dimension, repeated along the one before.
void append_rows(const Ranges &box, const Dims &sizes, int64_t outer_order, std::vector<DRI_Run> &runs) {
    const size_t n = box.size();
    const DRI_Range &row = box[n - 1];
    const bool is_stretch = row.size == 1 || row.stride == 1;
    if (n == 1) {
        runs.push_back(is_stretch ? DRI_Run{row.first, row.size, 1, 0}
                                  : DRI_Run{row.first, 1, row.size, row.stride});
        return;
    }
    const DRI_Range &rows = box[n - 2];
    const int64_t length = sizes[n - 1];
    if (is_stretch) {
        const int64_t step = rows.size == 1 ? 0 : rows.stride * length;
        if (step == row.size && row.size == length)
            runs.push_back({(outer_order + rows.first) * length, rows.size * length, 1, 0});
        else
            runs.push_back({(outer_order + rows.first) * length + row.first, row.size, rows.size, step});
        return;
    }
    for (int64_t i = 0; i < rows.size; ++i)
        runs.push_back({(outer_order + math::member_at(rows, i)) * length + row.first, 1, row.size, row.stride});
}

void append_box(const Ranges &box, const Dims &sizes, size_t d, int64_t outer_order, std::vector<DRI_Run> &runs) {
    if (d + 2 >= box.size()) {
        append_rows(box, sizes, outer_order, runs);
        return;
    }
    for (int64_t i = 0; i < box[d].size; ++i)
        append_box(box, sizes, d + 1, (outer_order + math::member_at(box[d], i)) * sizes[d + 1], runs);
}

outer::OwnedDist make_dist(const Dims &sizes, DRI_Type type, const outer::OwnedPart &part,
                           const std::vector<int> &ranks) {
    outer::OwnedGdo gdo;
    outer::OwnedGroup group;
    outer::OwnedDist dist;
    require(DRI_gdo_create(static_cast<int>(sizes.size()), type, sizes.begin(), gdo.out()));
    require(DRI_group_create(static_cast<int>(ranks.size()), ranks.data(), group.out()));
    require(DRI_dist_create(gdo.get(), part.get(), group.get(), dist.out()));
    return dist;
}

} // namespace

DenseForm dense_form(const Space &space) {
    if (std::holds_alternative<GridMap>(space.map().sort()))
        return DenseForm::grid;
    if (const auto *dist_map = std::get_if<DistMap>(&space.map().sort()))
        return dist_map->is_grid ? DenseForm::grid : DenseForm::pieces;
    const UserHoldings &found = space.user_holdings();
    if (found.is_grid)
        return DenseForm::grid;
    return std::all_of(found.all.begin(), found.all.end(), [](const auto &one) { return is_piece(*one); })
               ? DenseForm::pieces
               : DenseForm::flat;
}

std::vector<DRI_Run> flat_runs(const Holding &holding, const Space &space) {
    std::vector<DRI_Run> runs;
    for (int64_t i = 0; i < holding.num_boxes(); ++i)
        append_box(holding.box(i), space.sizes(), 0, 0, runs);
    return runs;
}

outer::OwnedDist make_dense_dist(const Space &space, DRI_Type type, int position, bool with_overlap) {
    const DenseForm form = dense_form(space);
    outer::OwnedPart part;
    if (form == DenseForm::pieces)
        return make_dist(space.sizes(), type, make_pieces(space, position, with_overlap), space.map().ranks());
    DenseParts parts;
    if (form == DenseForm::flat) {
        set_runs(parts, 0, AxisRuns(flat_runs(space.holding(position), space)), space.map().num_positions());
        parts.ranks = space.map().ranks();
        require(DRI_part_create_rule(1, parts.rules.begin(), part.out()));
        return make_dist(Dims{space.size()}, type, part, parts.ranks);
    }
    if (const auto *grid_map = std::get_if<GridMap>(&space.map().sort()))
        set_grid_rules(space, *grid_map, position, with_overlap, parts);
    else if (const auto *dist_map = std::get_if<DistMap>(&space.map().sort()))
        set_dist_rules(space, *dist_map, position, with_overlap, parts);
    else
        set_user_rules(space, position, parts);
    require(DRI_part_create_rule(static_cast<int>(space.ndims()), parts.rules.begin(), part.out()));
    return make_dist(space.sizes(), type, part, parts.ranks);
}

} // namespace dri::domain
