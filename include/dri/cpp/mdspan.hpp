// std::mdspan and types like it: which a View is made of, and which it becomes.
#pragma once

#include <dri/cpp/handle.hpp>

#include <concepts>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

#if __has_include(<version>)
#include <version>
#endif
#ifdef __cpp_lib_mdspan
#include <mdspan>
#endif

namespace dri {
inline namespace v1 {

namespace detail {

template <class M> using AddressOf = std::remove_cvref_t<decltype(std::declval<const M &>().data_handle())>;

// Whether M has data_handle(), extent(d), stride(d) and rank(), as std::mdspan has, with N dimensions and elements
// that a T may refer to.
template <class M, class T, std::size_t N>
concept MdspanOf = requires(const M &m) {
    requires M::rank()
    == N;
    requires std::is_same_v<T *, AddressOf<M>> || std::is_same_v < T *, const std::remove_pointer_t<AddressOf<M>>
    * > ;
    { m.extent(M::rank()) } -> std::convertible_to<std::int64_t>;
    { m.stride(M::rank()) } -> std::convertible_to<std::int64_t>;
};

// Whether M is made of an address, extents and any strides, as std::mdspan is with layout_stride.
template <class M, class T, std::size_t N>
concept MdspanFor = requires(const M &m, T *data, const std::array<typename M::index_type, N> &numbers) {
    requires M::rank()
    == N;
    requires std::is_same_v<T *, AddressOf<M>> || std::is_same_v<const T *, AddressOf<M>>;
    M(data, typename M::mapping_type(typename M::extents_type(numbers), numbers));
};

// A number of a View as the other type has it. what: it, for the message.
template <class To> To fitting(std::int64_t number, const char *what) {
    if (!std::in_range<To>(number))
        fail(DRI_ERR_OVERFLOW, std::string("View: a") + what + " is " + std::to_string(number) +
                                   ", which the index type of the mdspan does not hold");
    return static_cast<To>(number);
}

template <class M, class T, std::size_t N> M to_mdspan(T *data, const Index<N> &extents, const Index<N> &strides) {
    using Number = typename M::index_type;
    std::array<Number, N> lengths{}, steps{};
    for (std::size_t d = 0; d < N; ++d) {
        lengths[d] = fitting<Number>(extents[d], "n extent");
        steps[d] = fitting<Number>(strides[d], " stride");
        if constexpr (requires { M::extents_type::static_extent(d); })
            if (const auto fixed = M::extents_type::static_extent(d);
                fixed != static_cast<std::size_t>(-1) && fixed != static_cast<std::size_t>(extents[d]))
                fail(DRI_ERR_ARG, "View: extent " + std::to_string(d) + " is " + std::to_string(extents[d]) +
                                      ", but that of the mdspan is always " + std::to_string(fixed));
    }
    return M(data, typename M::mapping_type(typename M::extents_type(lengths), steps));
}

} // namespace detail
} // namespace v1
} // namespace dri
