// Partitions by arithmetic: default partitions, targets, bounding boxes and cores.
//
// All functions are Local and need no library that runs.
#pragma once

#include <dri/cpp/ranges.hpp>
#include <dri/piece.h>

#include <algorithm>

namespace dri {
inline namespace v1 {

// The indices, or positions, from offset to offset + size along each dimension.
template <std::size_t N> struct Box : detail::Dims<N> {
    Index<N> offset{}, size{};

    Box() = default;
    Box(const Index<N> &from, const Index<N> &extent) : offset(from), size(extent) {}
    friend bool operator==(const Box &a, const Box &b) { return a.offset == b.offset && a.size == b.size; }
};

namespace detail {

template <std::size_t N> DRI_Box raw_box(const Box<N> &box) {
    DRI_Box raw{};
    std::copy_n(box.offset.begin(), N, raw.offset);
    std::copy_n(box.size.begin(), N, raw.size);
    return raw;
}
template <std::size_t N> Box<N> box_of(const DRI_Box &raw) {
    Box<N> box;
    std::copy_n(raw.offset, N, box.offset.begin());
    std::copy_n(raw.size, N, box.size.begin());
    return box;
}

template <std::size_t N>
Box<N> bounds(const Ranges<N> &view, const Box<N> &target, bool is_inner, const Box<N> *given) {
    const DRI_Box at = raw_box(target), with = given ? raw_box(*given) : DRI_Box{};
    DRI_Box found{};
    check(DRI_bounding_box(static_cast<int>(N), view.data(), &at, is_inner, given ? &with : nullptr, &found));
    return box_of<N>(found);
}

} // namespace detail

// What a member of `members` processes holds of an array of a shape. See DRI_default_partition.
template <std::size_t N> Box<N> default_partition(int members, int member, const Index<N> &shape) {
    DRI_Box part{};
    detail::check(DRI_default_partition(members, member, static_cast<int>(N), shape.data(), &part));
    return detail::box_of<N>(part);
}
template <std::size_t N> Box<N> default_partition(int members, int member, const std::int64_t (&shape)[N]) {
    return default_partition(members, member, std::to_array(shape));
}

// The positions of a slice whose elements lie in a box of dense indices. local: set to the distance of the first
// of them from the box's offset. See DRI_target_of_slice.
template <std::size_t N>
Box<N> target_of_slice(const Box<N> &held, const Ranges<N> &slice, Index<N> *local = nullptr) {
    const DRI_Box raw = detail::raw_box(held);
    DRI_Box target{};
    detail::check(
        DRI_target_of_slice(static_cast<int>(N), &raw, slice.data(), local ? local->data() : nullptr, &target));
    return detail::box_of<N>(target);
}

// The least box with all that a view reads at a target; with `given`: the hull of both, or their intersection. See
// DRI_bounding_box.
template <std::size_t N> Box<N> bounding_box(const Ranges<N> &view, const Box<N> &target) {
    return detail::bounds<N>(view, target, false, nullptr);
}
template <std::size_t N>
Box<N> bounding_box(const Ranges<N> &view, const Box<N> &target, const Box<N> &given, bool is_inner = false) {
    return detail::bounds(view, target, is_inner, &given);
}

// The positions of a target whose elements lie in a box of dense indices; with `given`: those that lie there, too.
// See DRI_core.
template <std::size_t N>
Box<N> core(const Box<N> &owned, const Ranges<N> &view, const Box<N> &target, const Box<N> &given) {
    const DRI_Box own = detail::raw_box(owned), at = detail::raw_box(target), with = detail::raw_box(given);
    DRI_Box found{};
    detail::check(DRI_core(static_cast<int>(N), &own, view.data(), &at, &with, &found));
    return detail::box_of<N>(found);
}
template <std::size_t N> Box<N> core(const Box<N> &owned, const Ranges<N> &view, const Box<N> &target) {
    return core(owned, view, target, target);
}

} // namespace v1
} // namespace dri
