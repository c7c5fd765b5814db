// Ranges: evenly spaced indices of one dimension, as a sequence with a direction.
#pragma once

#include <dri/cpp/counted.hpp>
#include <dri/cpp/error.hpp>
#include <dri/cpp/range_math.hpp>

#include <cassert>
#include <optional>

namespace dri {
inline namespace v1 {
namespace detail {

// The failures of ranges are those of the C functions: code and message come from there.
[[noreturn]] inline void refuse_range(const DRI_Range &range) {
    std::int64_t order = 0;
    raise_last(DRI_range_order(range, 0, &order));
}
[[noreturn]] inline void refuse_bounds(std::int64_t lo, std::int64_t hi, std::int64_t stride, std::int64_t align) {
    DRI_Range none;
    raise_last(DRI_range(lo, hi, stride, align, &none));
}

constexpr const DRI_Range &require_range(const DRI_Range &range) {
    if (!is_range(range))
        refuse_range(range);
    return range;
}

} // namespace detail

// The indices first, first + stride, ...: `size` of them. A negative stride counts downwards. Two ranges are equal
// if they are the same sequence. See DRI_Range.
struct Range : DRI_Range {
    constexpr Range() : DRI_Range{0, 1, 0} {}
    // Throws DRI_ERR_ARG for a stride of 0, a negative size, and members beyond 64 bits.
    constexpr Range(std::int64_t from, std::int64_t step, std::int64_t n) : Range(DRI_Range{from, step, n}) {}
    constexpr Range(const DRI_Range &range) : DRI_Range(detail::require_range(range)) {}
    Range(std::int64_t, std::int64_t) = delete; // dri: range(lo, hi) makes the indices from lo to hi - 1
    Range(std::int64_t) = delete;               // dri: a slice of one index is the number itself

    using iterator = detail::CountedIterator<Range>;
    constexpr iterator begin() const { return {*this, 0}; }
    constexpr iterator end() const { return {*this, size}; }

    // The smallest and the largest member, if there are some.
    constexpr std::optional<std::int64_t> low() const {
        return size > 0 ? std::optional(detail::low_of(*this)) : std::nullopt;
    }
    constexpr std::optional<std::int64_t> high() const {
        return size > 0 ? std::optional(detail::high_of(*this)) : std::nullopt;
    }

    // The place of an index in the sequence, from 0, or -1 for an index that is no member. See DRI_range_order.
    constexpr std::int64_t order(std::int64_t index) const { return detail::order_in(*this, index); }
    constexpr bool contains(std::int64_t index) const { return detail::is_member(*this, index); }

    // The member at a place. at() throws DRI_ERR_ARG for a place that the range does not have.
    constexpr std::int64_t operator[](std::int64_t place) const {
        assert(place >= 0 && place < size);
        return detail::member_at(*this, place);
    }
    constexpr std::int64_t at(std::int64_t place) const {
        if (place < 0 || place >= size)
            fail(DRI_ERR_ARG, "Range::at(): the place is not from 0 to the size - 1");
        return detail::member_at(*this, place);
    }

    // Every k-th member. A negative k counts backwards from the last one. Throws DRI_ERR_ARG for 0.
    constexpr Range by(std::int64_t k) const {
        if (k == 0)
            fail(DRI_ERR_ARG, "Range::by(): the step is 0");
        return detail::every(*this, k);
    }

    // k members more at both ends, in the range's stride; for k < 0 as many less, and none if there were fewer.
    // Throws DRI_ERR_OVERFLOW for members beyond 64 bits.
    constexpr Range expand(std::int64_t k) const {
        const auto wider = detail::expanded(*this, k);
        if (!wider)
            fail(DRI_ERR_OVERFLOW, "Range::expand(): members exceed 64 bits");
        return *wider;
    }

    // The indices k further on. Throws DRI_ERR_OVERFLOW for members beyond 64 bits.
    constexpr Range shift(std::int64_t k) const {
        const detail::Int128 from = detail::Int128(first) + k;
        if (!detail::fits_int64(from) ||
            !detail::fits_int64(from + detail::Int128(stride) * (size > 0 ? size - 1 : 0)))
            fail(DRI_ERR_OVERFLOW, "Range::shift(): members exceed 64 bits");
        return Range(static_cast<std::int64_t>(from), stride, size);
    }

    friend constexpr bool operator==(const Range &a, const Range &b) { return detail::is_same_range(a, b); }

private:
    [[noreturn]] static void fail(int code, const char *message) { detail::fail(code, message); }
};

// The i of [lo, hi) for which i - align is a multiple of the stride; with a negative stride downwards. Throws as
// DRI_range.
constexpr Range range(std::int64_t lo, std::int64_t hi, std::int64_t stride, std::int64_t align) {
    const auto made = detail::range_between(lo, hi, stride, align);
    if (!made)
        detail::refuse_bounds(lo, hi, stride, align);
    return *made;
}

// Every stride-th index of [lo, hi), from lo; with a negative stride from hi - 1 downwards.
constexpr Range range(std::int64_t lo, std::int64_t hi, std::int64_t stride = 1) {
    return range(lo, hi, stride, stride < 0 && lo < hi ? hi - 1 : lo);
}

// The members of both, in the direction of a. See DRI_range_common.
constexpr Range common(const Range &a, const Range &b) { return detail::common_of(a, b); }

// The places in whole of the members of sub. Throws DRI_ERR_ARG if one is not inside. See DRI_densify.
constexpr Range densify(const Range &sub, const Range &whole) {
    const auto dense = detail::densified(sub, whole);
    if (!dense) {
        DRI_Range none{};
        detail::raise_last(DRI_densify(sub, whole, &none));
    }
    return *dense;
}

// The members of whole at these places. Throws DRI_ERR_ARG for a place that whole does not have. See
// DRI_undensify.
constexpr Range undensify(const Range &dense, const Range &whole) {
    const auto sub = detail::undensified(dense, whole);
    if (!sub) {
        DRI_Range none{};
        detail::raise_last(DRI_undensify(dense, whole, &none));
    }
    return *sub;
}

} // namespace v1
} // namespace dri
