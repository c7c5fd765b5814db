// What the part of a process looks like.
#include "queries.hpp"

#include <algorithm>

namespace dri_python {

int ndims_of(const Distribution &dist) {
    Gdo gdo;
    check(DRI_dist_get_gdo(dist.get(), gdo.put()));
    int ndims = 0;
    check(DRI_gdo_get_sizes(gdo.get(), &ndims, nullptr));
    return ndims;
}

namespace {

int64_t size_along(const Distribution &dist, int dim) {
    Gdo gdo;
    check(DRI_dist_get_gdo(dist.get(), gdo.put()));
    int64_t sizes[DRI_MAX_DIMS];
    check(DRI_gdo_get_sizes(gdo.get(), nullptr, sizes));
    return sizes[dim];
}

py::tuple shape_of(const Distribution &dist) {
    Gdo gdo;
    check(DRI_dist_get_gdo(dist.get(), gdo.put()));
    int64_t sizes[DRI_MAX_DIMS];
    int ndims = 0;
    check(DRI_gdo_get_sizes(gdo.get(), &ndims, sizes));
    return tuple_of(sizes, ndims);
}

py::tuple offset_of(const Distribution &dist) {
    Gdo gdo;
    check(DRI_dist_get_gdo(dist.get(), gdo.put()));
    int64_t offsets[DRI_MAX_DIMS];
    check(DRI_gdo_get_offset(gdo.get(), offsets, nullptr));
    return tuple_of(offsets, ndims_of(dist));
}

py::tuple extents_of(const Distribution &dist, int rank) {
    int64_t extents[DRI_MAX_DIMS];
    check(DRI_dist_get_extents(dist.get(), rank, extents));
    return tuple_of(extents, ndims_of(dist));
}

py::tuple grid_of(const Distribution &dist) {
    int grid[DRI_MAX_DIMS];
    check(DRI_dist_get_grid(dist.get(), grid));
    return tuple_of(grid, ndims_of(dist));
}

py::tuple coords_of(const Distribution &dist, int rank) {
    int coords[DRI_MAX_DIMS];
    check(DRI_dist_get_coords(dist.get(), rank, coords));
    return tuple_of(coords, ndims_of(dist));
}

py::tuple counts_of(const Distribution &dist, int rank) {
    int64_t counts[2];
    check(DRI_dist_get_count(dist.get(), rank, &counts[0], &counts[1]));
    return tuple_of(counts, 2);
}

py::tuple tuples_of(const Distribution &dist, int rank) {
    const int ndims = ndims_of(dist);
    DRI_Part_tuple tuples[DRI_MAX_DIMS];
    check(DRI_dist_get_part(dist.get(), rank, tuples));
    py::tuple made(static_cast<size_t>(ndims));
    for (int d = 0; d < ndims; ++d)
        made[static_cast<size_t>(d)] =
            py::make_tuple(tuples[d].left_v, tuples[d].left_x, tuples[d].right_x, tuples[d].right_v);
    return made;
}

// One row per block: the fields of DRI_Block.
py::array_t<int64_t> blocks_of(const Distribution &dist, int rank, int dim) {
    int64_t n = 0;
    check(DRI_dist_num_blocks(dist.get(), rank, dim, &n));
    py::array_t<int64_t> made({n, int64_t{7}});
    for (int64_t i = 0; i < n; ++i) {
        DRI_Block block;
        check(DRI_dist_get_block(dist.get(), rank, dim, i, &block));
        const int64_t fields[] = {block.global,     block.size,     block.local,    block.left_real,
                                  block.right_real, block.left_pad, block.right_pad};
        std::copy_n(fields, 7, made.mutable_data(i, 0));
    }
    return made;
}

// The index of each place along a dimension: around the array where it wraps, and -1 in a pad of zeros.
py::array_t<int64_t> indices_of(const Distribution &dist, int rank, int dim) {
    int64_t extents[DRI_MAX_DIMS], n = 0;
    check(DRI_dist_num_blocks(dist.get(), rank, dim, &n));
    check(DRI_dist_get_extents(dist.get(), rank, extents));
    DRI_Part_dim rule;
    check(DRI_dist_get_rule(dist.get(), dim, &rule));
    const int64_t size = size_along(dist, dim);
    py::array_t<int64_t> made(extents[dim]);
    int64_t *at = made.mutable_data();
    for (int64_t i = 0; i < n; ++i) {
        DRI_Block block;
        check(DRI_dist_get_block(dist.get(), rank, dim, i, &block));
        const int64_t first = block.local - block.left_real, end = block.local + block.size + block.right_real;
        const auto edge_value = [](DRI_Edge edge, int64_t index) {
            return edge == DRI_PAD_REPLICATE ? index : -1;
        };
        std::fill_n(at + first - block.left_pad, block.left_pad, edge_value(rule.left_edge, 0));
        for (int64_t place = first; place < end; ++place) {
            const int64_t index = (block.global + place - block.local) % size;
            at[place] = index < 0 ? index + size : index;
        }
        std::fill_n(at + end, block.right_pad, edge_value(rule.right_edge, size - 1));
    }
    return made;
}

// The fields as dri/partition.py has them; lists as runs.
py::tuple rule_of(const Distribution &dist, int dim) {
    DRI_Part_dim rule;
    check(DRI_dist_get_rule(dist.get(), dim, &rule));
    py::object values = py::none();
    if (rule.kind == DRI_SIZES)
        values = tuple_of(rule.sizes, rule.nparts);
    if (rule.kind == DRI_WEIGHTS) {
        py::list listed;
        for (int i = 0; i < rule.nparts; ++i)
            listed.append(rule.weights[i]);
        values = py::tuple(listed);
    }
    if (rule.kind == DRI_RUNS) {
        py::list listed;
        for (int64_t i = 0; i < rule.nruns; ++i)
            listed.append(
                py::make_tuple(rule.runs[i].first, rule.runs[i].size, rule.runs[i].count, rule.runs[i].step));
        values = py::tuple(listed);
    }
    return py::make_tuple(static_cast<int>(rule.kind), rule.nparts, static_cast<int>(rule.remainder), rule.block,
                          values, rule.min, rule.max, rule.multiple, rule.left, rule.right,
                          static_cast<int>(rule.left_edge), static_cast<int>(rule.right_edge), rule.phase);
}

py::tuple group_of(const Distribution &dist) {
    Group group;
    check(DRI_dist_get_group(dist.get(), group.put()));
    return ranks_of(group.get());
}

bool are_equal(const Distribution &a, const Distribution &b) {
    int flag = 0;
    check(DRI_dist_equal(a.get(), b.get(), &flag));
    return flag != 0;
}

py::str description_of(const Distribution &dist) {
    char text[1024];
    check(DRI_dist_describe(dist.get(), text, sizeof text));
    return py::str(text);
}

} // namespace

void bind_part_queries(DistributionClass &dist) {
    dist.def("shape", shape_of)
        .def("offset", offset_of)
        .def("extents", extents_of)
        .def("grid", grid_of)
        .def("coords", coords_of)
        .def("counts", counts_of)
        .def("tuples", tuples_of)
        .def("blocks", blocks_of)
        .def("indices", indices_of)
        .def("rule", rule_of)
        .def("group", group_of)
        .def("equals", are_equal)
        .def("describe", description_of);
}

} // namespace dri_python
