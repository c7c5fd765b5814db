// Tuples of ranges: boxes of indices with strides.
#pragma once

#include <dri/cpp/handle.hpp>
#include <dri/cpp/indexed.hpp>
#include <dri/cpp/range.hpp>

#include <concepts>
#include <type_traits>

namespace dri {
inline namespace v1 {
namespace detail {

template <std::size_t N> struct Members;

} // namespace detail

// One range for each dimension: the indices of N dimensions whose numbers are members of them. Their order is
// row-major.
template <std::size_t N> class Ranges : detail::Dims<N> {
public:
    static_assert(N > 0, "dri: Ranges have at least one dimension");

    // Empty ranges.
    constexpr Ranges() = default;
    constexpr explicit Ranges(const std::array<Range, N> &ranges) : ranges_(ranges) {}
    template <class... Rest>
    requires(std::convertible_to<Rest, Range> &&...) constexpr Ranges(const Range &first, const Rest &...rest)
        : ranges_{first, rest...} {
        static_assert(sizeof...(Rest) + 1 == N, "dri: Ranges of N dimensions take exactly N ranges");
    }

    // The range of a dimension.
    constexpr const Range &operator[](std::size_t d) const { return ranges_[d]; }
    constexpr Range &operator[](std::size_t d) { return ranges_[d]; }

    // As an argument of the C interface: N ranges.
    const DRI_Range *data() const noexcept { return ranges_.data(); }

    // One number for each dimension: how many members its range has.
    constexpr Index<N> sizes() const {
        Index<N> found{};
        for (std::size_t d = 0; d < N; ++d)
            found[d] = ranges_[d].size;
        return found;
    }

    // Number of indices. Throws DRI_ERR_OVERFLOW beyond 2^63 - 1.
    constexpr std::int64_t size() const {
        detail::Int128 n = 1;
        bool is_empty = false;
        for (const Range &r : ranges_) {
            is_empty = is_empty || r.size == 0;
            n = detail::fits_int64(n * r.size) ? n * r.size : detail::Int128(detail::largest_int64) + 1;
        }
        if (!is_empty && !detail::fits_int64(n))
            detail::fail(DRI_ERR_OVERFLOW, "Ranges::size(): there are more than 2^63 - 1 indices");
        return is_empty ? 0 : static_cast<std::int64_t>(n);
    }

    // Strides are 1 almost always. Then it costs two comparisons for each dimension.
    constexpr bool contains(const Index<N> &index) const {
        bool is_plain = true, is_inside = true;
        for (std::size_t d = 0; d < N; ++d) {
            const Range &range = ranges_[d];
            is_plain &= range.stride == 1;
            is_inside &= static_cast<std::uint64_t>(index[d]) - static_cast<std::uint64_t>(range.first) <
                         static_cast<std::uint64_t>(range.size);
        }
        if (is_plain) [[likely]]
            return is_inside;
        return contains_each(index);
    }

    // The place of an index in row-major order, from 0, or -1 for an index that is no member.
    constexpr std::int64_t order(const Index<N> &index) const {
        std::int64_t place = 0;
        for (std::size_t d = 0; d < N; ++d) {
            const std::int64_t along = ranges_[d].order(index[d]);
            if (along < 0)
                return -1;
            place = place * ranges_[d].size + along;
        }
        return place;
    }

    // The index at a place. Throws DRI_ERR_ARG for a place that is not from 0 to the size - 1.
    constexpr Index<N> at(std::int64_t place) const {
        if (place < 0 || place >= size())
            detail::fail(DRI_ERR_ARG, "Ranges::at(): the place is not from 0 to the size - 1");
        return member(place);
    }

    // All indices in their order: a random-access range. It keeps what it needs.
    auto indices() const {
        return detail::Indexed(size(), [ranges = *this](std::int64_t place) { return ranges.member(place); });
    }

    // Every k-th index of each dimension, and k more at both ends: the same for all, or one for each. See Range.
    constexpr Ranges by(std::int64_t k) const {
        return each([k](const Range &r, std::size_t) { return r.by(k); });
    }
    constexpr Ranges by(const Index<N> &k) const {
        return each([&k](const Range &r, std::size_t d) { return r.by(k[d]); });
    }
    constexpr Ranges expand(std::int64_t k) const {
        return each([k](const Range &r, std::size_t) { return r.expand(k); });
    }
    constexpr Ranges expand(const Index<N> &k) const {
        return each([&k](const Range &r, std::size_t d) { return r.expand(k[d]); });
    }
    template <std::integral... K>
    requires(sizeof...(K) > 1) constexpr Ranges expand(K... k) const {
        static_assert(sizeof...(K) == N, "dri: expand() takes one number, or one for each dimension");
        return expand(Index<N>{static_cast<std::int64_t>(k)...});
    }

    // The indices further on: one number for each dimension.
    constexpr Ranges shift(const Index<N> &k) const {
        return each([&k](const Range &r, std::size_t d) { return r.shift(k[d]); });
    }
    template <std::integral... K> constexpr Ranges shift(K... k) const {
        static_assert(sizeof...(K) == N, "dri: shift() takes one number for each dimension");
        return shift(Index<N>{static_cast<std::int64_t>(k)...});
    }

    friend constexpr bool operator==(const Ranges &a, const Ranges &b) { return a.ranges_ == b.ranges_; }

private:
    friend struct detail::Members<N>;
    // It changes nothing, so that loops keep what they have read of the ranges. By value, so that the index stays
    // in registers.
    [[gnu::noinline, gnu::pure]] constexpr bool contains_each(Index<N> index) const {
        for (std::size_t d = 0; d < N; ++d)
            if (!ranges_[d].contains(index[d]))
                return false;
        return true;
    }
    constexpr Index<N> member(std::int64_t place) const {
        Index<N> index{};
        for (std::size_t d = N; d-- > 0; place /= ranges_[d].size)
            index[d] = ranges_[d][place % ranges_[d].size];
        return index;
    }
    template <class Change> constexpr Ranges each(const Change &change) const {
        Ranges changed;
        for (std::size_t d = 0; d < N; ++d)
            changed.ranges_[d] = change(ranges_[d], d);
        return changed;
    }

    std::array<Range, N> ranges_{};
};

template <class... Rest> Ranges(const Range &, const Rest &...) -> Ranges<sizeof...(Rest) + 1>;

// densify() and undensify() of each dimension.
template <std::size_t N> constexpr Ranges<N> densify(const Ranges<N> &sub, const Ranges<N> &whole) {
    Ranges<N> dense;
    for (std::size_t d = 0; d < N; ++d)
        dense[d] = densify(sub[d], whole[d]);
    return dense;
}
template <std::size_t N> constexpr Ranges<N> undensify(const Ranges<N> &dense, const Ranges<N> &whole) {
    Ranges<N> sub;
    for (std::size_t d = 0; d < N; ++d)
        sub[d] = undensify(dense[d], whole[d]);
    return sub;
}

namespace detail {

// The indices of ranges by their places: numbers for N = 1.
template <std::size_t N> struct Members {
    Ranges<N> ranges;

    constexpr auto operator[](std::int64_t place) const {
        if constexpr (N == 1)
            return ranges[0][place];
        else
            return ranges.member(place);
    }
};

// N ranges of the C interface.
template <std::size_t N> Ranges<N> ranges_of(const DRI_Range first[]) {
    Ranges<N> found;
    for (std::size_t d = 0; d < N; ++d)
        found[d] = first[d];
    return found;
}

} // namespace detail
} // namespace v1
} // namespace dri
