// Owners of handles. A handle goes with its owner. After the end of the library, and in a forked child, destroying
// a handle does nothing.
#pragma once

#include "common.hpp"

#include <utility>

namespace dri_python {

template <typename Handle, int (*destroy)(Handle *)> class Owned {
public:
    Owned() = default;
    Owned(Owned &&other) noexcept : handle_(std::exchange(other.handle_, Handle{})) {}
    Owned &operator=(Owned &&other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~Owned() {
        if (handle_.id != 0)
            destroy(&handle_);
    }

    Handle get() const { return handle_; }
    Handle *put() { return &handle_; }

private:
    Handle handle_{};
};

using Type = Owned<DRI_Type, DRI_type_destroy>;
using Gdo = Owned<DRI_Gdo, DRI_gdo_destroy>;
using Partition = Owned<DRI_Part, DRI_part_destroy>;
using Group = Owned<DRI_Group, DRI_group_destroy>;
using Distribution = Owned<DRI_Dist, DRI_dist_destroy>;
using Layout = Owned<DRI_Layout, DRI_layout_destroy>;
using Map = Owned<DRI_Map, DRI_map_destroy>;
using Domain = Owned<DRI_Domain, DRI_domain_destroy>;
using Array = Owned<DRI_Array, DRI_array_destroy>;

// The type of Python's (number, bytes, alignment). `record` owns one that is not predefined.
DRI_Type type_of(const py::tuple &element, Type &record);
int ndims_of(const Distribution &dist);
py::tuple ranks_of(DRI_Group group);
// The layout of Python's (order, strides, pitch, split); the order or the strides are None.
Layout make_layout(const py::tuple &described, int ndims);

} // namespace dri_python
