// Ranges, and maps by rules and of distributions.
#include "ranges.hpp"

#include <dri/map.h>

namespace dri_python {

DRI_Range range_of(py::handle range) {
    if (!PyRange_Check(range.ptr()))
        throw py::type_error("a range is Python's range, not " +
                             py::str(py::type::of(range).attr("__name__")).cast<std::string>());
    const py::ssize_t size = PyObject_Size(range.ptr());
    if (size < 0)
        throw py::error_already_set();
    return {number(range.attr("start")), number(range.attr("step")), size};
}

py::object python_range(const DRI_Range &range) {
    const py::handle type(reinterpret_cast<PyObject *>(&PyRange_Type));
    const py::int_ end = py::int_(range.first) + py::int_(range.stride) * py::int_(range.size);
    return type(range.first, end, range.stride);
}

std::vector<DRI_Range> ranges_of(py::handle ranges) {
    std::vector<DRI_Range> made;
    for (const py::handle one : ranges)
        made.push_back(range_of(one));
    return made;
}

py::tuple python_ranges(const DRI_Range ranges[], size_t ndims) {
    py::tuple made(ndims);
    for (size_t d = 0; d < ndims; ++d)
        made[d] = python_range(ranges[d]);
    return made;
}

namespace {

// kind, parts, lo, hi, start, block, left, right, left edge, right edge
DRI_Map_dim map_dim(py::handle given) {
    const std::vector<int64_t> at = numbers(given);
    DRI_Map_dim rule{};
    rule.kind = static_cast<DRI_Part_kind>(at.at(0));
    rule.nparts = small_number(at.at(1));
    rule.lo = at.at(2);
    rule.hi = at.at(3);
    rule.start = at.at(4);
    rule.block = at.at(5);
    rule.left = at.at(6);
    rule.right = at.at(7);
    rule.left_edge = static_cast<DRI_Edge>(at.at(8));
    rule.right_edge = static_cast<DRI_Edge>(at.at(9));
    return rule;
}

Map make_map(const py::tuple &given, const Group &group) {
    std::vector<DRI_Map_dim> dims;
    for (const py::handle one : given)
        dims.push_back(map_dim(one));
    Map map;
    check(DRI_map_create(static_cast<int>(dims.size()), dims.data(), group.get(), map.put()));
    return map;
}

Map make_dist_map(const Distribution &dist) {
    Map map;
    check(DRI_map_create_dist(dist.get(), map.put()));
    return map;
}

int map_ndims(const Map &map) {
    int ndims = 0;
    check(DRI_map_get_ndims(map.get(), &ndims));
    return ndims;
}

int map_owner(const Map &map, const py::tuple &index) {
    const std::vector<int64_t> at = numbers(index);
    if (static_cast<int>(at.size()) != map_ndims(map))
        fail(DRI_ERR_ARG, "the index has " + std::to_string(at.size()) + " numbers, but the map has " +
                              std::to_string(map_ndims(map)) + " dimensions");
    int rank = 0;
    check_index(DRI_map_owner(map.get(), at.data(), &rank));
    return rank;
}

py::tuple map_grid(const Map &map) {
    int grid[DRI_MAX_DIMS];
    check(DRI_map_get_grid(map.get(), grid));
    return tuple_of(grid, map_ndims(map));
}

py::tuple map_ranks(const Map &map) {
    Group group;
    check(DRI_map_get_group(map.get(), group.put()));
    return ranks_of(group.get());
}

bool are_equal_maps(const Map &a, const Map &b) {
    int flag = 0;
    check(DRI_map_equal(a.get(), b.get(), &flag));
    return flag != 0;
}

Map unpack_map(const std::string &bytes) {
    Map map;
    check(DRI_map_unpack(bytes.data(), bytes.size(), nullptr, map.put()));
    return map;
}

template <int (*dense)(DRI_Range, DRI_Range, DRI_Range *)> py::object densified(py::handle a, py::handle b) {
    DRI_Range made;
    check(dense(range_of(a), range_of(b), &made));
    return python_range(made);
}

} // namespace

void bind_maps(py::module_ &module) {
    py::class_<Map>(module, "Map")
        .def("ndims", map_ndims)
        .def("owner", map_owner)
        .def("grid", map_grid)
        .def("ranks", map_ranks)
        .def("equals", are_equal_maps)
        .def("describe",
             [](const Map &map) {
                 return whole_text([&](char *text, size_t n) { return DRI_map_describe(map.get(), text, n); });
             })
        .def("pack", [](const Map &map) {
            return packed_bytes(
                [&](void *bytes, size_t n, size_t *needed) { return DRI_map_pack(map.get(), bytes, n, needed); });
        });
    module.def("make_map", make_map);
    module.def("make_dist_map", make_dist_map);
    module.def("unpack_map", unpack_map);
    module.def("densify", densified<DRI_densify>);
    module.def("undensify", densified<DRI_undensify>);
    module.def("common_range", densified<DRI_range_common>);
}

} // namespace dri_python
