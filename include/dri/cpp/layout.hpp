// Layouts: how a part lies in memory.
#pragma once

#include <dri/cpp/dist.hpp>
#include <dri/layout.h>

#include <initializer_list>
#include <span>
#include <vector>

namespace dri {
inline namespace v1 {

// For Layout::pitch(): the library chooses the pitch that suits its kernels.
inline constexpr std::int64_t pitch_auto = DRI_PITCH_AUTO;

class PackedLayout;

// How a part lies in memory. A value: copies share one handle.
class Layout {
public:
    // Row-major.
    constexpr Layout() = default;
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
            return Layout(handle.id == DRI_COL_MAJOR.id);
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
    // Of the own part; of an empty distribution all are 0.
    template <class T, std::size_t N> Index<N> strides(const Dist<T, N> &dist) const {
        return dist ? strides(dist, dist.own_rank()) : Index<N>{};
    }

    // The distance from a real part to its imaginary part, in components.
    template <class T, std::size_t N> std::int64_t plane(const Dist<T, N> &dist, int rank) const {
        std::int64_t components = 0;
        detail::check(DRI_layout_get_plane(handle(), dist.handle(), rank, &components));
        return components;
    }
    template <class T, std::size_t N> std::int64_t plane(const Dist<T, N> &dist) const {
        return dist ? plane(dist, dist.own_rank()) : 0;
    }

    // The order of n dimensions: the first one is the slowest.
    std::vector<int> order(int n) const {
        std::vector<int> found(static_cast<std::size_t>(n > 0 ? n : 0));
        detail::check(DRI_layout_get_order(handle(), n, found.data()));
        return found;
    }

    // What the layout was made with beside the order. Zeros: it has no explicit strides, or no pitch.
    struct Made {
        Index<DRI_MAX_DIMS> strides{};
        std::int64_t pitch = 0;
        bool split = false;
    };
    Made made() const {
        Made found;
        DRI_Complex_format format;
        detail::check(DRI_layout_get_options(handle(), found.strides.data(), &found.pitch, &format));
        found.split = format == DRI_SPLIT;
        return found;
    }

private:
    friend PackedLayout;
    constexpr explicit Layout(bool columns) : columns_(columns) {} // one of the library's own

    detail::Shared<DRI_Layout, DRI_layout_destroy> kept_; // empty: one of the library's two
    bool columns_ = false;
};

// One of the two layouts below. Strides make a layout of their own, so they are not asked of these.
class PackedLayout : public Layout {
public:
    constexpr explicit PackedLayout(bool columns) : Layout(columns) {}

    template <class T, std::size_t N> Index<N> strides(const Dist<T, N> &dist, int rank) const {
        return Layout::strides(dist, rank);
    }
    template <class T, std::size_t N> Index<N> strides(const Dist<T, N> &dist) const {
        return Layout::strides(dist);
    }
    void strides(std::initializer_list<std::int64_t>) const = delete; // dri: Layout::strides() makes such a layout
    void strides(std::span<const std::int64_t>) const = delete;       // dri: Layout::strides() makes such a layout
};

// Packed layouts for any number of dimensions.
inline const PackedLayout row_major(false);
inline const PackedLayout col_major(true);

} // namespace v1
} // namespace dri
