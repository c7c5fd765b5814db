// Arrays over domains: made, sliced, seen as numpy's, assigned, and their overlap refreshed.
#include "ends.hpp"
#include "moves.hpp"
#include "ranges.hpp"

#include <dri/piece.h>

#include <array>

namespace dri_python {

namespace {

// address: 0 for memory of the library. The array waits in slices, between which Python sees signals.
Array make_array(const Domain &domain, const py::tuple &element, uintptr_t address, int64_t slice_ms) {
    Type record;
    const DRI_Type type = type_of(element, record);
    Array array;
    int code = DRI_SUCCESS;
    {
        const Unlocked unlocked;
        code = DRI_array_create(domain.get(), type, reinterpret_cast<void *>(address), array.put());
    }
    check(code);
    check(DRI_array_set_attr(array.get(), DRI_ARRAY_TIMEOUT_MS, slice_ms));
    return array;
}

Array array_slice(const Array &array, const py::tuple &ranges, unsigned dropped) {
    const std::vector<DRI_Range> all = ranges_of(ranges);
    Array alias;
    check(DRI_array_slice(array.get(), all.data(), dropped, alias.put()));
    return alias;
}

// The first of all elements that this process holds.
char *start_of(const DRI_View &view) {
    auto *first = static_cast<char *>(view.data);
    for (size_t d = 0; d < static_cast<size_t>(view.ndims); ++d)
        first -= view.left[d] * view.step[d] * view.element_bytes;
    return first;
}

// All elements that this process holds, in the order of memory.
py::array array_memory(const Array &array, int64_t held, const py::dtype &dtype, const py::object &base) {
    const DRI_View *view = nullptr;
    check(DRI_array_view(array.get(), 0, &view));
    return py::array(dtype, std::vector<py::ssize_t>{held}, std::vector<py::ssize_t>{view->element_bytes},
                     start_of(*view), base);
}

// A box of this process as an array of numpy's, overlap included. The ranges are of its owned elements.
py::tuple array_view(const Array &array, int64_t box, const py::dtype &dtype, const py::object &base) {
    const DRI_View *found = nullptr;
    check(DRI_array_view(array.get(), box, &found));
    const DRI_View view = *found;
    const auto ndims = static_cast<size_t>(view.ndims);
    std::vector<py::ssize_t> shape, strides;
    py::list overlap;
    for (size_t d = 0; d < ndims; ++d) {
        shape.push_back(view.left[d] + view.range[d].size + view.right[d]);
        strides.push_back(view.step[d] * view.element_bytes);
        overlap.append(py::make_tuple(view.left[d], view.right[d]));
    }
    const py::array made(dtype, shape, strides, start_of(view), base);
    return py::make_tuple(made, python_ranges(view.range, ndims), py::tuple(overlap));
}

// How many boxes this process has.
int64_t array_boxes(const Array &array) {
    Domain domain;
    check(DRI_array_get_domain(array.get(), domain.put()));
    int rank = 0;
    check(DRI_world_rank(&rank));
    int64_t n = 0;
    check(DRI_domain_num_boxes(domain.get(), rank, &n));
    return n;
}

// A piece. box: offsets and then sizes of what this process asks for; None: the default partition.
Array repartitioned(const Array &array, const py::object &box, double seconds) {
    DRI_Box target{};
    if (!box.is_none()) {
        const std::vector<int64_t> all = numbers(box);
        const auto half = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
        std::copy(all.begin(), half, target.offset);
        std::copy(half, all.end(), target.size);
    }
    Array piece;
    check(wait_in_slices(seconds, [&] {
        return DRI_array_repartition(array.get(), box.is_none() ? nullptr : &target, piece.put());
    }));
    return piece;
}

Array subview(const Array &array, const py::tuple &positions) {
    const std::vector<DRI_Range> all = ranges_of(positions);
    Array piece;
    check(DRI_array_subview(array.get(), all.data(), nullptr, piece.put()));
    return piece;
}

py::tuple loffs_of(const Array &array, int ndims) {
    std::array<int64_t, DRI_MAX_DIMS> loffs{};
    check(DRI_array_get_loffs(array.get(), loffs.data()));
    return tuple_of(loffs.data(), ndims);
}

// Left halo, owned elements and right halo as arrays of numpy's.
py::tuple parts_of(const Array &array, const py::dtype &dtype, const py::object &base) {
    std::array<DRI_View, 3> parts{};
    int n = 0;
    check(DRI_array_get_parts(array.get(), &n, parts.data()));
    py::tuple made(static_cast<size_t>(n));
    for (size_t i = 0; i < static_cast<size_t>(n); ++i) {
        const DRI_View &part = parts[i];
        std::vector<py::ssize_t> shape, strides;
        bool is_empty = false;
        for (int64_t d = 0; d < part.ndims; ++d) {
            shape.push_back(part.range[d].size);
            strides.push_back(part.step[d] * part.element_bytes);
            is_empty = is_empty || part.range[d].size == 0;
        }
        made[i] = is_empty ? py::array(dtype, shape) : py::array(dtype, shape, strides, part.data, base);
    }
    return made;
}

// What keeps the memory of an array as long as it lives.
py::capsule keep_array(const Array &array) {
    DRI_Kept *kept = nullptr;
    check(DRI_array_keep(array.get(), &kept));
    return py::capsule(kept, [](void *memory) { DRI_kept_free(static_cast<DRI_Kept *>(memory)); });
}

// path, tried, planned, packed bytes
py::tuple assign_all(const Array &to, const Array &from, double seconds) {
    DRI_Assigned info{};
    check(wait_in_slices(seconds, [&] { return DRI_assign(to.get(), nullptr, from.get(), nullptr, &info); }));
    return py::make_tuple(static_cast<int>(info.path), info.tried, info.planned != 0, info.packed_bytes);
}

template <int (*call)(DRI_Array)> void waited(const Array &array, double seconds) {
    check(wait_in_slices(seconds, [&] { return call(array.get()); }));
}

py::str text_of_array(const Array &array, double seconds) {
    std::string text;
    const auto put = [](void *ctx, const char *part, size_t n) {
        static_cast<std::string *>(ctx)->append(part, n);
        return DRI_SUCCESS + 0;
    };
    check(wait_in_slices(seconds, [&] {
        text.clear();
        return DRI_array_write(array.get(), put, &text);
    }));
    return py::str(text);
}

} // namespace

void bind_arrays(py::module_ &module) {
    ArrayClass bound(module, "Array");
    bind_moves(bound);
    bound.def("slice", array_slice)
        .def("boxes", array_boxes)
        .def("view", array_view)
        .def("memory", array_memory)
        .def("keep", keep_array)
        .def("repartition", repartitioned)
        .def("subview", subview)
        .def("loffs", loffs_of)
        .def("parts", parts_of)
        .def("assign", assign_all)
        .def("set_attribute",
             [](const Array &array, int attribute, int64_t value) {
                 check(DRI_array_set_attr(array.get(), static_cast<DRI_Array_attr>(attribute), value));
             })
        .def("update_overlap", waited<DRI_array_update_overlap>)
        .def("update_overlap_start", waited<DRI_array_update_overlap_start>)
        .def("update_overlap_wait", waited<DRI_array_update_overlap_wait>)
        .def("write", text_of_array)
        .def("describe", [](const Array &array) {
            return whole_text([&](char *text, size_t n) { return DRI_array_describe(array.get(), text, n); });
        });
    module.def("make_array", make_array);
}

} // namespace dri_python
