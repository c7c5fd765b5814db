// Layouts: how a part lies in memory.
#pragma once

#include <dri/cpp/dist.hpp>
#include <dri/layout.h>

#include <initializer_list>
#include <span>

namespace dri {
inline namespace v1 {

// For Layout::pitch(): the library chooses the pitch that suits its kernels.
inline constexpr std::int64_t pitch_auto = DRI_PITCH_AUTO;

namespace detail {
enum class Packed { rows, columns };
}

// How a part lies in memory. A value: copies share one handle.
class Layout {
public:
    // Row-major.
    constexpr Layout() = default;
    // One of the library's own.
    constexpr explicit Layout(detail::Packed packed) : columns_(packed == detail::Packed::columns) {}

    // Without gaps, the dimensions in this order: the first one is the slowest, the last one contiguous.
    Layout(std::initializer_list<int> order) : Layout(std::span<const int>(order.begin(), order.size())) {}
    explicit Layout(std::span<const int> order) {
        DRI_Layout layout;
        detail::check(DRI_layout_create_packed(static_cast<int>(order.size()), order.data(), &layout));
        *this = adopt(layout);
    }

    // With explicit strides, in elements.
    static Layout strides(std::initializer_list<std::int64_t> strides) {
        return Layout::strides(std::span<const std::int64_t>(strides.begin(), strides.size()));
    }
    static Layout strides(std::span<const std::int64_t> strides) {
        DRI_Layout layout;
        detail::check(DRI_layout_create(static_cast<int>(strides.size()), strides.data(), &layout));
        return adopt(layout);
    }

    // Takes over a handle of the C interface. DRI_ROW_MAJOR and DRI_COL_MAJOR stay the library's.
    static Layout adopt(DRI_Layout handle) {
        if (handle.id == DRI_ROW_MAJOR.id || handle.id == DRI_COL_MAJOR.id)
            return Layout(handle.id == DRI_COL_MAJOR.id ? detail::Packed::columns : detail::Packed::rows);
        // Any call that takes a layout finds out whether the handle is one.
        detail::Owned<DRI_Layout, DRI_layout_destroy> same;
        detail::check(DRI_layout_with_complex(handle, DRI_INTERLEAVED, same.out()));
        Layout layout;
        layout.kept_ = detail::Shared<DRI_Layout, DRI_layout_destroy>(handle);
        return layout;
    }

    DRI_Layout handle() const noexcept {
        if (kept_)
            return kept_.get();
        return columns_ ? DRI_COL_MAJOR : DRI_ROW_MAJOR;
    }

    // The same layout with its contiguous lines padded to a multiple of elements, or pitch_auto.
    Layout pitch(std::int64_t multiple) const {
        DRI_Layout padded;
        detail::check(DRI_layout_with_pitch(handle(), multiple, &padded));
        return adopt(padded);
    }

    // The same layout with a plane of all real parts and a plane of all imaginary parts.
    Layout split() const {
        DRI_Layout planes;
        detail::check(DRI_layout_with_complex(handle(), DRI_SPLIT, &planes));
        return adopt(planes);
    }

    // The strides of a process's part, in elements; in a split layout, in components of a plane.
    template <class T, std::size_t N> Index<N> strides(const Dist<T, N> &dist, int rank) const {
        Index<N> found{};
        detail::check(DRI_layout_get_strides(handle(), dist.handle(), rank, detail::pointer(found)));
        return found;
    }
    template <class T, std::size_t N> Index<N> strides(const Dist<T, N> &dist) const {
        return strides(dist, dist.own_rank());
    }

    // The distance from a real part to its imaginary part, in components.
    template <class T, std::size_t N> std::int64_t plane(const Dist<T, N> &dist, int rank) const {
        std::int64_t components = 0;
        detail::check(DRI_layout_get_plane(handle(), dist.handle(), rank, &components));
        return components;
    }
    template <class T, std::size_t N> std::int64_t plane(const Dist<T, N> &dist) const {
        return plane(dist, dist.own_rank());
    }

private:
    detail::Shared<DRI_Layout, DRI_layout_destroy> kept_; // empty: one of the library's two
    bool columns_ = false;
};

// Packed layouts for any number of dimensions.
inline const Layout row_major(detail::Packed::rows);
inline const Layout col_major(detail::Packed::columns);

} // namespace v1
} // namespace dri
