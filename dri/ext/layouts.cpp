// Layouts: Python's values as handles, and what they give to a part.
#include "handles.hpp"

namespace dri_python {

Layout make_layout(const py::tuple &described, int ndims) {
    const py::object order = described[0], strides = described[1];
    Layout made;
    if (!strides.is_none()) {
        const std::vector<int64_t> steps = numbers(strides);
        check(DRI_layout_create(static_cast<int>(steps.size()), steps.data(), made.put()));
    } else {
        std::vector<int> dims;
        if (py::isinstance<py::str>(order))
            for (int d = 0; d < ndims; ++d)
                dims.push_back(order.cast<std::string>() == "F" ? ndims - 1 - d : d);
        else
            dims = small_numbers(order);
        check(DRI_layout_create_packed(static_cast<int>(dims.size()), dims.data(), made.put()));
    }
    if (const int64_t pitch = number(described[2]); pitch != 0) {
        Layout padded;
        check(DRI_layout_with_pitch(made.get(), pitch, padded.put()));
        made = std::move(padded);
    }
    if (described[3].cast<bool>()) {
        Layout split;
        check(DRI_layout_with_complex(made.get(), DRI_SPLIT, split.put()));
        made = std::move(split);
    }
    return made;
}

namespace {

py::tuple strides_of(const py::tuple &described, const Distribution &dist, int rank) {
    const int ndims = ndims_of(dist);
    const Layout layout = make_layout(described, ndims);
    int64_t strides[DRI_MAX_DIMS];
    check(DRI_layout_get_strides(layout.get(), dist.get(), rank, strides));
    return tuple_of(strides, ndims);
}

int64_t plane_of(const py::tuple &described, const Distribution &dist, int rank) {
    const Layout layout = make_layout(described, ndims_of(dist));
    int64_t plane = 0;
    check(DRI_layout_get_plane(layout.get(), dist.get(), rank, &plane));
    return plane;
}

} // namespace

void bind_layouts(py::module_ &module) {
    module.def("layout_strides", strides_of);
    module.def("layout_plane", plane_of);
}

} // namespace dri_python
