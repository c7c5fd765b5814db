// Assignments between arrays, slices and aliases over any two maps.
//
//     b = a;                                          // all elements
//     b[r] = a[s];                                    // slices: a row to a column, and the like
//     const dri::Path path = dri::assign(b[r], a[s]); // the same with how it went
//
// Members are paired in the order of the slices. See DRI_assign, which says what it costs and when it fails.
#pragma once

#include <dri/array.h>
#include <dri/cpp/element.hpp>
#include <dri/cpp/ranges.hpp>

#include <concepts>
#include <type_traits>

namespace dri {
inline namespace v1 {

// The way in which an assignment went. See DRI_Assign_path.
enum class Path {
    none = 0, // the calling process has neither map
    known = DRI_ASSIGN_KNOWN,
    any = DRI_ASSIGN_ANY,
    element = DRI_ASSIGN_ELEMENT
};

// For elements that are not plain: a specialisation has `void operator()(const T &from, T &to) const`. Then an
// assignment puts each element by this function, which throws nothing. See DRI_array_set_copy.
template <class T> struct copy_each;

namespace detail {

template <class T>
concept CopiedEach = requires(const T &from, T &to) {
    copy_each<T>()(from, to);
};

template <class T> void copy_one(const void *from, void *to, void *) noexcept {
    copy_each<T>()(*static_cast<const T *>(from), *static_cast<T *>(to));
}

// What an assignment reads: an Array or a Slice.
template <class X>
concept ArrayItem = requires(const X &x) {
    typename X::element_type;
    { x.handle() } -> std::same_as<DRI_Array>;
    { x.ranges().data() } -> std::same_as<const DRI_Range *>;
};

template <class T>
inline constexpr bool is_number = is_complex<T> || std::same_as<T, float> || std::same_as<T, double> ||
                                  (std::integral<T> && !std::same_as<T, bool>);

template <class To, class From>
inline constexpr bool is_converted = std::same_as<To, From> ||
                                     (is_number<To> && is_number<From> && is_complex<To> == is_complex<From>);

} // namespace detail

// Assigns an array or a slice to an array or a slice. Elements of different types of numbers are converted. info:
// filled in if not nullptr. Collective over the processes of both maps; not synchronising. See DRI_assign.
template <class To, class From>
requires detail::ArrayItem<std::remove_cvref_t<To>> && detail::ArrayItem<From>
    Path assign(To &&to, const From &from, DRI_Assigned *info = nullptr) {
    using Target = std::remove_reference_t<To>;
    constexpr bool is_slice = requires { to.array(); };
    static_assert(!std::is_const_v<typename Target::element_type> && (is_slice || !std::is_const_v<Target>),
                  "dri: an assignment changes its left side, which is const");
    static_assert(detail::is_converted<std::remove_const_t<typename Target::element_type>,
                                       std::remove_const_t<typename From::element_type>>,
                  "dri: an assignment converts numbers alone, and neither from nor to complex ones");
    DRI_Assigned done{};
    detail::check(DRI_assign(to.handle(), to.ranges().data(), from.handle(), from.ranges().data(), &done));
    if (info)
        *info = done;
    return static_cast<Path>(done.path);
}

} // namespace v1
} // namespace dri
