// Makes dense distributions: grids, pieces, and lists of the order of a domain.
#include "domain/dense.hpp"

#include <algorithm>

namespace dri::domain {

namespace {

using outer::require;

// One box without strides, or none.
bool is_piece(const Holding &holding) {
    if (holding.num_boxes() > 1)
        return false;
    const Ranges box = holding.num_boxes() == 1 ? holding.box(0) : Ranges();
    return std::all_of(box.begin(), box.end(), [](const DRI_Range &r) { return r.size == 1 || r.stride == 1; });
}

outer::OwnedPart make_pieces(const Space &space, int position, const DenseChoice &choice) {
    const Holding &own = space.holding(position);
    const size_t n = choice.dims.size();
    FixedVector<DRI_Part_tuple, max_dims> tuples(n);
    FixedVector<DRI_Edge, max_dims> left(n, DRI_TRUNCATE), right(n, DRI_TRUNCATE);
    const auto *dist_map = std::get_if<DistMap>(&space.map().sort());
    for (size_t i = 0; i < n; ++i) {
        const size_t d = choice.dims[i];
        if (own.num_boxes() == 1) {
            const DRI_Range along = own.box(0)[d];
            tuples[i] = {0, along.first, along.first + along.size, 0};
        }
        if (!choice.with_overlap || !dist_map || !dist_map->overlaps || !is_whole(*dist_map, space.ranges()))
            continue;
        const DRI_Part_dim rule = rule_of(*dist_map, d);
        tuples[i].left_v = rule.left;
        tuples[i].right_v = rule.right;
        left[i] = rule.left_edge;
        right[i] = rule.right_edge;
    }
    outer::OwnedPart pieces, part;
    require(DRI_part_create(static_cast<int>(n), tuples.begin(), pieces.out()));
    require(DRI_part_with_edges(pieces.get(), left.begin(), right.begin(), part.out()));
    return part;
}

// A run of single dense indices or of unit-stride rows along the last dimension, repeated along the one before.
void append_rows(const Ranges &box, const Dims &sizes, int64_t outer_order, std::vector<DRI_Run> &runs) {
    const size_t n = box.size();
    const DRI_Range &row = box[n - 1];
    const bool is_stretch = row.size == 1 || row.stride == 1;
    if (n == 1) {
        runs.push_back(run_of(row));
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

DenseChoice whole_choice(const Space &space, bool with_overlap) {
    DenseChoice choice;
    choice.form = dense_form(space);
    for (size_t d = 0; d < space.ndims(); ++d)
        choice.dims.push_back(d);
    choice.with_overlap = with_overlap;
    return choice;
}

DenseChoice squeezed_choice(const Space &space, DenseForm form) {
    DenseChoice choice;
    choice.form = form;
    choice.for_all = false;
    for (size_t d = 0; d < space.ndims(); ++d)
        if (space.sizes()[d] != 1)
            choice.dims.push_back(d);
    if (choice.dims.empty())
        choice.dims.push_back(0);
    return choice;
}

outer::OwnedDist make_dense_dist(const Space &space, DRI_Type type, int position, const DenseChoice &choice) {
    Dims sizes;
    for (const size_t d : choice.dims)
        sizes.push_back(space.sizes()[d]);
    if (choice.form == DenseForm::pieces)
        return make_dist(sizes, type, make_pieces(space, position, choice), space.map().ranks());
    DenseParts parts;
    if (choice.form == DenseForm::flat) {
        sizes = Dims{space.size()};
        add_runs(parts, flat_runs(space.holding(position), space), space.map().num_positions());
        parts.ranks = space.map().ranks();
    } else {
        set_rules(space, position, choice, parts);
        const int own_rank = space.map().ranks()[static_cast<size_t>(position)];
        if (std::find(parts.ranks.begin(), parts.ranks.end(), own_rank) == parts.ranks.end())
            return {};
    }
    outer::OwnedPart part;
    require(DRI_part_create_rule(static_cast<int>(sizes.size()), parts.rules.begin(), part.out()));
    return make_dist(sizes, type, part, parts.ranks);
}

} // namespace dri::domain
