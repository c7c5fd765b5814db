// Views: memory as an n-dimensional array.
#pragma once

#include <dri/cpp/handle.hpp>
#include <dri/cpp/range.hpp>

#include <cassert>
#include <concepts>
#include <iterator>
#include <span>
#include <type_traits>

#if __has_include(<version>)
#include <version>
#endif
#ifdef __cpp_lib_mdspan
#include <mdspan>
#endif

namespace dri {
inline namespace v1 {

template <class T, std::size_t N> class View;

namespace detail {

// What has the interface of std::mdspan, with elements of T or of T without const.
template <class M, class T, std::size_t N>
concept MdspanOf = requires(const M &m) {
    { m.data_handle() } -> std::convertible_to<T *>;
    { M::rank() } -> std::convertible_to<std::size_t>;
    requires M::rank()
    == N;
    m.extents();
    m.mapping();
};

template <class M, class T, std::size_t N>
concept MdspanFor = requires(const M &m, T *data, const std::array<typename M::index_type, N> &numbers) {
    requires M::rank()
    == N;
    m.data_handle();
    M(data, typename M::mapping_type(typename M::extents_type(numbers), numbers));
};

template <std::size_t N> Index<N> packed_strides(const Index<N> &extents) {
    Index<N> strides{};
    std::int64_t step = 1;
    for (std::size_t d = N; d-- > 0; step *= extents[d])
        strides[d] = step;
    return strides;
}

template <class T> Index<1> length_of(std::span<T> memory) { return {static_cast<std::int64_t>(memory.size())}; }

// The dimensions from the one with the longest stride to the one with the shortest. Those of one element come
// first.
template <std::size_t N> std::array<int, N> memory_order(const Index<N> &extents, const Index<N> &strides) {
    const auto is_slower = [&](int a, int b) {
        const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
        if ((extents[i] <= 1) != (extents[j] <= 1))
            return extents[i] <= 1;
        return extents[i] > 1 &&
               (strides[i] < 0 ? -strides[i] : strides[i]) > (strides[j] < 0 ? -strides[j] : strides[j]);
    };
    std::array<int, N> order{};
    for (std::size_t d = 0; d < N; ++d) {
        std::size_t at = d;
        for (; at > 0 && is_slower(static_cast<int>(d), order[at - 1]); --at)
            order[at] = order[at - 1];
        order[at] = static_cast<int>(d);
    }
    return order;
}

// The lines along the fastest dimension, in the order of memory.
template <class T, std::size_t N> class Rows {
public:
    class iterator {
    public:
        using iterator_concept = std::input_iterator_tag;
        using value_type = View<T, 1>;
        using difference_type = std::ptrdiff_t;

        explicit iterator(const Rows &of)
            : of_(&of), first_(of.data_), length_(of.length_), step_(of.step_), left_(of.rows_) {
            if constexpr (N > 1)
                to_next_ = of.strides_[N - 2];
        }
        View<T, 1> operator*() const { return View<T, 1>(first_, Index<1>{length_}, Index<1>{step_}); }
        iterator &operator++() {
            --left_;
            first_ += to_next_;
            if constexpr (N > 2) {
                if (++at_[N - 2] == of_->extents_[N - 2])
                    carry();
            }
            return *this;
        }
        void operator++(int) { ++*this; }
        bool operator==(std::default_sentinel_t) const { return left_ == 0; }

    private:
        // Counts the dimensions up that are slower than the rows of a plane.
        void carry() {
            for (std::size_t k = N - 2; k > 0 && at_[k] == of_->extents_[k]; --k) {
                first_ += of_->strides_[k - 1] - of_->strides_[k] * of_->extents_[k];
                at_[k] = 0;
                ++at_[k - 1];
            }
        }

        const Rows *of_;
        T *first_;
        std::int64_t length_, step_, to_next_ = 0;
        std::int64_t left_; // rows
        Index<N> at_{};
    };

    Rows(T *data, const Index<N> &extents, const Index<N> &strides) : data_(data) {
        const auto order = memory_order<N>(extents, strides);
        for (std::size_t k = 0; k < N; ++k) {
            extents_[k] = extents[static_cast<std::size_t>(order[k])];
            strides_[k] = strides[static_cast<std::size_t>(order[k])];
        }
        if constexpr (N > 0) {
            length_ = extents_[N - 1];
            step_ = length_ > 1 ? strides_[N - 1] : 1;
        }
        for (std::size_t k = 0; k + 1 < N; ++k)
            rows_ *= extents_[k];
        rows_ = length_ > 0 ? rows_ : 0;
    }
    std::int64_t size() const { return rows_; }
    iterator begin() const { return iterator(*this); }
    std::default_sentinel_t end() const { return {}; }

private:
    T *data_;
    Index<N> extents_{}, strides_{}; // in the order of memory
    std::int64_t length_ = 1, step_ = 1, rows_ = 1;
};

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

    // From std::mdspan and its like.
    template <class M>
    requires detail::MdspanOf<M, T, N> View(const M &m) : data_(m.data_handle()) {
        for (std::size_t d = 0; d < N; ++d) {
            extents_[d] = static_cast<std::int64_t>(m.extent(d));
            strides_[d] = static_cast<std::int64_t>(m.stride(d));
        }
    }

    // To std::mdspan and its like, whose mapping takes any strides.
    template <class M>
    requires detail::MdspanFor<M, T, N>
    operator M() const {
        std::array<typename M::index_type, N> extents{}, strides{};
        for (std::size_t d = 0; d < N; ++d) {
            extents[d] = static_cast<typename M::index_type>(extents_[d]);
            strides[d] = static_cast<typename M::index_type>(strides_[d]);
        }
        return M(data_, typename M::mapping_type(typename M::extents_type(extents), strides));
    }

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
        if (!is_packed())
            detail::fail(DRI_ERR_ARG, "View::span(): the elements do not lie without gaps: use rows()");
        return {data_, static_cast<std::size_t>(size())};
    }

private:
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

// Copies all elements between Views of equal extents, which do not overlap. Throws DRI_ERR_ARG if the extents
// differ.
template <class T, class U, std::size_t N, std::size_t M> void copy(const View<T, N> &from, const View<U, M> &to) {
    static_assert(!std::is_const_v<U>, "dri: a View of const elements is not written");
    static_assert(N == M, "dri: copy() needs Views of the same number of dimensions");
    static_assert(std::is_same_v<std::remove_const_t<T>, U>,
                  "dri: copy() converts nothing: both have one element type");
    if (from.extents() != to.extents())
        detail::fail(DRI_ERR_ARG, "copy(): the extents of the two Views differ");
    if (to.size() == 0)
        return;
    const auto order = detail::memory_order<N>(to.extents(), to.strides());
    std::int64_t length = 1, step_from = 1, step_to = 1, rows = to.size();
    if constexpr (N > 0) {
        const auto fastest = static_cast<int>(order[N - 1]);
        length = to.extent(fastest);
        step_from = from.stride(fastest);
        step_to = to.stride(fastest);
        rows /= length;
    }
    const T *in = from.data();
    U *out = to.data();
    for (Index<N> at{}; rows > 0; --rows) {
        if (step_from == 1 && step_to == 1)
            for (std::int64_t i = 0; i < length; ++i)
                out[i] = in[i];
        else
            for (std::int64_t i = 0; i < length; ++i)
                out[i * step_to] = in[i * step_from];
        if constexpr (N > 1)
            for (std::size_t k = N - 1; k-- > 0;) {
                const auto d = static_cast<std::size_t>(order[k]);
                in += from.strides()[d];
                out += to.strides()[d];
                if (++at[d] < to.extents()[d])
                    break;
                in -= from.strides()[d] * to.extents()[d];
                out -= to.strides()[d] * to.extents()[d];
                at[d] = 0;
            }
    }
}

} // namespace v1
} // namespace dri
