// Maps: by rules, of distributions, and the user's own, which are objects of Python.
#include "ranges.hpp"

#include <dri/map.h>

#include <algorithm>

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

// Any thread of the library may call a user's map, with or without the interpreter's lock.
class Interpreter {
public:
    Interpreter() : state_(PyGILState_Ensure()) {}
    ~Interpreter() { PyGILState_Release(state_); }
    Interpreter(const Interpreter &) = delete;
    Interpreter &operator=(const Interpreter &) = delete;

private:
    PyGILState_STATE state_;
};

struct UserMap {
    py::object map;
    size_t ndims;
};

const UserMap &of(void *ctx) { return *static_cast<const UserMap *>(ctx); }

template <typename Call> int guarded_python(Call call) {
    const Interpreter locked;
    try {
        call();
        return DRI_SUCCESS;
    } catch (py::error_already_set &thrown) {
        return fail_with_thrown(thrown);
    } catch (const Failure &failure) {
        return DRI_fail(failure.code, failure.message.c_str());
    } catch (const std::exception &error) {
        return DRI_fail(DRI_ERR_ARG, error.what());
    }
}

// A number in one dimension, a tuple in more.
py::object python_index(const int64_t index[], size_t ndims) {
    if (ndims == 1)
        return py::int_(index[0]);
    return tuple_of(index, static_cast<int>(ndims));
}

int user_owner(void *ctx, const int64_t index[], int *position) {
    return guarded_python([&] {
        const py::object found = of(ctx).map.attr("owner")(python_index(index, of(ctx).ndims));
        const auto whole = py::reinterpret_steal<py::object>(PyNumber_Index(found.ptr()));
        if (!whole)
            throw py::error_already_set();
        *position = small_number(number(whole));
    });
}

int user_local(void *ctx, int position, const DRI_Range whole[], int64_t most, DRI_Range boxes[], int64_t *n) {
    return guarded_python([&] {
        const size_t ndims = of(ctx).ndims;
        const py::list found(of(ctx).map.attr("local")(position, python_ranges(whole, ndims)));
        *n = static_cast<int64_t>(found.size());
        const auto written = std::min(found.size(), static_cast<size_t>(most));
        for (size_t i = 0; i < written; ++i) {
            const py::handle box = found[i];
            const std::vector<DRI_Range> ranges =
                PyRange_Check(box.ptr()) ? std::vector{range_of(box)} : ranges_of(box);
            if (ranges.size() != ndims)
                throw py::value_error("local() gives boxes of " + std::to_string(ranges.size()) +
                                      " dimensions, but the domain has " + std::to_string(ndims));
            std::copy_n(ranges.data(), ndims, boxes + i * ndims);
        }
    });
}

int are_equal_objects(void *a, void *b, int *flag) {
    return guarded_python([&] { *flag = of(a).map.equal(of(b).map) ? 1 : 0; });
}

// At the end of the interpreter objects are left alone.
void drop(void *ctx) {
    if (!Py_IsInitialized())
        return;
    const Interpreter locked;
    delete static_cast<UserMap *>(ctx);
}

Map make_user_map(size_t ndims, const py::object &map, const std::string &name, bool has_local,
                  const Group &group) {
    DRI_Map_ops ops{};
    ops.bytes = sizeof ops;
    ops.name = name.c_str();
    ops.owner = user_owner;
    ops.local = has_local ? user_local : nullptr;
    ops.equal = are_equal_objects;
    ops.destroy = drop;
    auto own = std::make_unique<UserMap>(UserMap{map, ndims});
    Map made;
    check(DRI_map_create_user(static_cast<int>(ndims), &ops, own.get(), group.get(), made.put()));
    static_cast<void>(own.release()); // it goes with the last map that has it
    return made;
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
    module.def("make_user_map", make_user_map);
    module.def("unpack_map", unpack_map);
    module.def("densify", densified<DRI_densify>);
    module.def("undensify", densified<DRI_undensify>);
    module.def("common_range", densified<DRI_range_common>);
}

} // namespace dri_python
