// Handles of the public interface that this module owns for a while.
#pragma once

#include "outer/calls.hpp"

#include <dri/layout.h>
#include <dri/xfer.h>

#include <utility>

namespace dri::outer {

// Whether the library runs. Handles that outlast it name nothing.
bool library_runs() noexcept;

// Destroys the handle, unless it is handed on by release().
template <class Handle, int (*destroy)(Handle *)> class OwnedHandle {
public:
    OwnedHandle() = default;
    OwnedHandle(const OwnedHandle &) = delete;
    OwnedHandle &operator=(const OwnedHandle &) = delete;
    ~OwnedHandle() {
        if (handle_.id && library_runs())
            destroy(&handle_);
    }
    OwnedHandle(OwnedHandle &&other) noexcept : handle_(other.release()) {}
    OwnedHandle &operator=(OwnedHandle &&other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    Handle *out() { return &handle_; }
    Handle get() const { return handle_; }
    Handle release() { return std::exchange(handle_, Handle{}); }

private:
    Handle handle_{};
};

// A predefined type is not destroyed, so its refusal must not reach the user.
class OwnedType {
public:
    OwnedType() = default;
    OwnedType(const OwnedType &) = delete;
    OwnedType &operator=(const OwnedType &) = delete;
    OwnedType(OwnedType &&other) noexcept : type_(std::exchange(other.type_, DRI_Type{})) {}
    OwnedType &operator=(OwnedType &&other) noexcept {
        std::swap(type_, other.type_);
        return *this;
    }
    ~OwnedType();
    DRI_Type *out() { return &type_; }
    DRI_Type get() const { return type_; }

private:
    DRI_Type type_{};
};

using OwnedGdo = OwnedHandle<DRI_Gdo, DRI_gdo_destroy>;
using OwnedPart = OwnedHandle<DRI_Part, DRI_part_destroy>;
using OwnedGroup = OwnedHandle<DRI_Group, DRI_group_destroy>;
using OwnedDist = OwnedHandle<DRI_Dist, DRI_dist_destroy>;
using OwnedLayout = OwnedHandle<DRI_Layout, DRI_layout_destroy>;
using OwnedXfer = OwnedHandle<DRI_Xfer, DRI_xfer_destroy>;

} // namespace dri::outer
