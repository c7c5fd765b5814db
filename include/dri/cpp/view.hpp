// Views: memory as an n-dimensional array.
#pragma once

#include <dri/cpp/handle.hpp>
#include <dri/cpp/mdspan.hpp>
#include <dri/cpp/range.hpp>
#include <dri/cpp/rows.hpp>

#include <cassert>
#include <concepts>
#include <span>
#include <type_traits>

namespace dri {
inline namespace v1 {
namespace detail {

template <std::size_t N> Index<N> packed_strides(const Index<N> &extents) {
    Index<N> strides{};
    std::int64_t step = 1;
    for (std::size_t d = N; d-- > 0; step *= extents[d])
        strides[d] = step;
    return strides;
}

template <class T> Index<1> length_of(std::span<T> memory) { return {static_cast<std::int64_t>(memory.size())}; }

} // namespace detail

// Memory of elements T as an array of N dimensions: an address, extents, and strides of any sign, in elements. It
// owns nothing. View<const T, N> is read only.
template <class T, std::size_t N> class View : detail::Dims<N> {
public:
    using element_type = T;
    using value_type = std::remove_const_t<T>;

    // No elements.
    View() = default;

    // Without gaps, the last dimension contiguous.
    View(T *data, const Index<N> &extents) : View(data, extents, detail::packed_strides<N>(extents)) {}
    View(T *data, const Index<N> &extents, const Index<N> &strides)
        : data_(data), extents_(extents), strides_(strides) {}

    View(std::span<T> memory) requires(N == 1) : View(memory.data(), detail::length_of(memory)) {}

    // From one that may be written.
    template <class U>
    requires(std::is_const_v<T> &&std::same_as<U, value_type>) View(const View<U, N> &other)
        : View(other.data(), other.extents(), other.strides()) {}

    template <std::same_as<const T> U>
    View(const View<U, N> &) = delete; // dri: a View of const elements does not become one that is written

    // From std::mdspan and its like: what has data_handle(), extent(d), stride(d) and rank().
    template <class M>
    requires detail::MdspanOf<M, T, N> View(const M &m) : data_(m.data_handle()) {
        for (std::size_t d = 0; d < N; ++d) {
            const auto dim = static_cast<decltype(M::rank())>(d);
            extents_[d] = static_cast<std::int64_t>(m.extent(dim));
            strides_[d] = static_cast<std::int64_t>(m.stride(dim));
        }
    }

    // To std::mdspan and its like, whose mapping takes any strides. Throws if its numbers do not fit.
    template <class M>
    requires detail::MdspanFor<M, T, N>
    operator M() const { return detail::to_mdspan<M>(data_, extents_, strides_); }

#ifdef __cpp_lib_mdspan
    auto mdspan() const {
        return static_cast<std::mdspan<T, std::dextents<std::int64_t, N>, std::layout_stride>>(*this);
    }
#endif

    template <class... Indices> T &operator()(Indices... indices) const {
        static_assert(sizeof...(Indices) == N, "dri: a View of N dimensions takes exactly N indices");
        static_assert((std::integral<Indices> && ...), "dri: an index is an integer");
        return at(std::make_index_sequence<N>(), static_cast<std::int64_t>(indices)...);
    }

    T *data() const noexcept { return data_; }
    std::int64_t extent(int d) const { return extents_[check_dim(d)]; }
    std::int64_t stride(int d) const { return strides_[check_dim(d)]; }
    const Index<N> &extents() const noexcept { return extents_; }
    const Index<N> &strides() const noexcept { return strides_; }

    // Number of elements.
    std::int64_t size() const noexcept {
        std::int64_t elements = data_ || N > 0 ? 1 : 0;
        for (const std::int64_t extent : extents_)
            elements *= extent;
        return elements;
    }

    // A piece: for each dimension a number, which drops it, or a Range, which keeps it.
    template <class... Slices> auto sub(const Slices &...slices) const {
        static_assert(sizeof...(Slices) == N, "dri: sub() takes exactly one number or Range for each dimension");
        static_assert(((std::integral<Slices> || std::same_as<Slices, Range>)&&...),
                      "dri: a slice is an integer or a Range");
        constexpr std::size_t kept = (std::size_t{std::same_as<Slices, Range>} + ... + 0);
        T *data = data_;
        Index<kept> extents{}, strides{};
        [[maybe_unused]] std::size_t d = 0, k = 0;
        [[maybe_unused]] const auto take = [&](const auto &slice) {
            if constexpr (std::integral<std::remove_cvref_t<decltype(slice)>>) {
                assert(slice >= 0 && static_cast<std::int64_t>(slice) < extents_[d]);
                data += static_cast<std::int64_t>(slice) * strides_[d];
            } else {
                assert(slice.size == 0 || (slice.first >= 0 && slice.first < extents_[d]));
                assert(slice.size == 0 || (slice.first + (slice.size - 1) * slice.stride >= 0 &&
                                           slice.first + (slice.size - 1) * slice.stride < extents_[d]));
                data += slice.size > 0 ? slice.first * strides_[d] : 0;
                extents[k] = slice.size;
                strides[k++] = slice.stride * strides_[d];
            }
            ++d;
        };
        (take(slices), ...);
        return View<T, kept>(data, extents, strides);
    }

    // The lines along the fastest dimension, as Views of one dimension, in the order of memory.
    detail::Rows<T, N> rows() const { return {data_, extents_, strides_}; }

    // Whether the elements lie without gaps, in whatever order of dimensions.
    bool is_packed() const {
        if constexpr (N == 1)
            return extents_[0] <= 1 || strides_[0] == 1;
        std::int64_t expected = 1;
        const auto order = detail::memory_order<N>(extents_, strides_);
        for (std::size_t k = N; k-- > 0;) {
            const auto d = static_cast<std::size_t>(order[k]);
            if (extents_[d] > 1 && strides_[d] != expected)
                return size() == 0;
            expected *= extents_[d];
        }
        return true;
    }

    // All elements in the order of memory. Throws DRI_ERR_ARG if there are gaps between them.
    std::span<T> span() const {
        if (!is_packed()) [[unlikely]]
            refuse_gaps();
        return {data_, static_cast<std::size_t>(size())};
    }

protected:
    // Member by member: the view need not be made elsewhere and copied.
    void set(T *data, const Index<N> &extents, const Index<N> &strides) {
        data_ = data;
        extents_ = extents;
        strides_ = strides;
    }

private:
    // A call: compilers treat a loop beside it as if it were alone.
    [[noreturn, gnu::noinline, gnu::cold]] static void refuse_gaps() {
        detail::fail(DRI_ERR_ARG, "View::span(): the elements do not lie without gaps: use rows()");
    }
    static std::size_t check_dim(int d) {
        assert(d >= 0 && d < static_cast<int>(N));
        return static_cast<std::size_t>(d);
    }

    template <std::size_t... D, class... Indices> T &at(std::index_sequence<D...>, Indices... indices) const {
        assert(((indices >= 0 && indices < extents_[D]) && ...));
        return data_[((indices * strides_[D]) + ... + 0)];
    }

    T *data_ = nullptr;
    Index<N> extents_{}, strides_{};
};

template <class T> View(std::span<T>) -> View<T, 1>;
template <class T, std::size_t N> View(T *, const std::array<std::int64_t, N> &) -> View<T, N>;
template <class T, std::size_t N>
View(T *, const std::array<std::int64_t, N> &, const std::array<std::int64_t, N> &) -> View<T, N>;

} // namespace v1
} // namespace dri
