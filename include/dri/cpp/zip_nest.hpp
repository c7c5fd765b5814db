// Nests of loops over boxes: rows inside planes, with an address or an index for each item.
#pragma once

#include <dri/cpp/ranges.hpp>

#include <tuple>

namespace dri {
inline namespace v1 {

// Where the elements of an item lie in a chunk: `first` is the element at its first place, `step` the distance
// from one place to the next along each dimension, in elements.
template <class T, std::size_t N> struct MemoryCursor {
    T *first;
    Index<N> step;

    bool is_unit() const { return step[N - 1] == 1; }
    void next(std::size_t d) { first += step[d]; }
    template <bool unit> auto row() const {
        struct Row {
            T *first;
            std::int64_t step;
            T &operator[](std::int64_t i) const { return first[unit ? i : i * step]; }
        };
        return Row{first, step[N - 1]};
    }
};

// The indices of a chunk: `first` is the one at its first place.
template <std::size_t N> struct IndexCursor {
    Index<N> first, step;

    bool is_unit() const { return step[N - 1] == 1; }
    void next(std::size_t d) { first[d] += step[d]; }
    template <bool unit> auto row() const {
        struct Row {
            Index<N> first;
            std::int64_t step;
            Index<N> operator[](std::int64_t i) const {
                Index<N> at = first;
                at[N - 1] += unit ? i : i * step;
                return at;
            }
        };
        return Row{first, step[N - 1]};
    }
};

namespace detail {

template <class T> inline constexpr bool is_index = false;
template <std::size_t N> inline constexpr bool is_index<Index<N>> = true;

// The arguments of a part: an index is a number for each dimension.
template <class T> constexpr auto spread(T &x) {
    if constexpr (is_index<std::remove_const_t<T>>)
        return std::tuple_cat(x);
    else
        return std::tuple<T &>(x);
}

template <class F, class Arguments> inline constexpr bool takes_tuple = false;
template <class F, class... Arguments>
inline constexpr bool takes_tuple<F, std::tuple<Arguments...>> = std::is_invocable_v<F &, Arguments...>;
template <class F, class... Parts>
inline constexpr bool takes_spread =
    takes_tuple<F, decltype(std::tuple_cat(spread(std::declval<std::remove_reference_t<Parts> &>())...))>;

// One step: an index is one argument, or a number for each dimension.
template <class F, class... Parts> [[gnu::always_inline]] inline void step(F &f, Parts &&...parts) {
    if constexpr (std::is_invocable_v<F &, Parts...>)
        f(std::forward<Parts>(parts)...);
    else
        std::apply(f, std::tuple_cat(spread(parts)...));
}

// A function of elements, or one of whole rows.
template <class F, class... Rows>
[[gnu::always_inline]] inline void run_row(std::int64_t n, F &f, const Rows... rows) {
    if constexpr (requires { f.row(n, rows...); })
        f.row(n, rows...);
    else
        for (std::int64_t i = 0; i < n; ++i)
            step(f, rows[i]...);
}

// The loops over the dimensions from D on.
template <std::size_t D, bool unit, std::size_t N, class F, class... Cursors>
[[gnu::always_inline]] inline void run_nest(const Index<N> &sizes, F &f, Cursors... cursors) {
    if constexpr (D + 1 == N) {
        run_row(sizes[D], f, cursors.template row<unit>()...);
    } else {
        for (std::int64_t i = 0; i < sizes[D]; ++i) {
            run_nest<D + 1, unit>(sizes, f, cursors...);
            (cursors.next(D), ...);
        }
    }
}

// Rows in which all items follow each other without gaps are loops of their own: compilers vectorise them.
template <std::size_t N, class F, class... Cursors>
[[gnu::always_inline]] inline void run_box(const Index<N> &sizes, F &f, const Cursors &...cursors) {
    if ((cursors.is_unit() && ...))
        run_nest<0, true>(sizes, f, cursors...);
    else
        run_nest<0, false>(sizes, f, cursors...);
}

} // namespace detail
} // namespace v1
} // namespace dri
