// The arithmetic of ranges, for the C functions and the C++ types alike. Nothing here fails: what cannot be
// answered is empty.
#pragma once

#include <dri/range.h>

#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>

namespace dri {
inline namespace v1 {
namespace detail {

__extension__ typedef __int128 Int128;

constexpr std::int64_t least_int64 = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t largest_int64 = std::numeric_limits<std::int64_t>::max();

constexpr bool fits_int64(Int128 value) { return value >= least_int64 && value <= largest_int64; }
constexpr Int128 magnitude(Int128 value) { return value < 0 ? -value : value; }
// a modulo b, from 0 to b - 1; b > 0.
constexpr Int128 modulo(Int128 a, Int128 b) { return a % b < 0 ? a % b + b : a % b; }
// a / b rounded towards minus infinity; b > 0.
constexpr Int128 floor_of(Int128 a, Int128 b) { return a / b - (a % b < 0); }

// The member at a place; the range has it.
constexpr std::int64_t member_at(const DRI_Range &r, std::int64_t order) { return r.first + order * r.stride; }

// Whether all members are 64-bit numbers, and so is the distance from the first one to the last one.
constexpr bool is_range(const DRI_Range &r) {
    if (r.stride == 0 || r.stride == least_int64 || r.size < 0)
        return false;
    const Int128 span = r.size == 0 ? 0 : (Int128(r.size) - 1) * r.stride;
    return magnitude(span) <= largest_int64 && fits_int64(r.first + span);
}

constexpr bool is_same_range(const DRI_Range &a, const DRI_Range &b) {
    return a.size == b.size && (a.size == 0 || (a.first == b.first && (a.size == 1 || a.stride == b.stride)));
}

// The place of an index, or -1. Distances modulo 2^64 suffice: one that reaches no further than the last member
// does not wrap. The common stride needs no division.
constexpr std::int64_t order_in(const DRI_Range &r, std::int64_t index) {
    const auto at = static_cast<std::uint64_t>(index), first = static_cast<std::uint64_t>(r.first);
    const auto size = static_cast<std::uint64_t>(r.size), stride = static_cast<std::uint64_t>(r.stride);
    if (r.stride == 1) [[likely]]
        return at - first < size ? static_cast<std::int64_t>(at - first) : -1;
    const std::uint64_t distance = r.stride > 0 ? at - first : first - at;
    const std::uint64_t step = r.stride > 0 ? stride : 0 - stride;
    return distance % step == 0 && distance / step < size ? static_cast<std::int64_t>(distance / step) : -1;
}

constexpr bool is_member(const DRI_Range &r, std::int64_t index) { return order_in(r, index) >= 0; }

// The smallest and the largest member; the range has some.
constexpr std::int64_t low_of(const DRI_Range &r) { return r.stride > 0 ? r.first : member_at(r, r.size - 1); }
constexpr std::int64_t high_of(const DRI_Range &r) { return r.stride < 0 ? r.first : member_at(r, r.size - 1); }

// The i of [lo, hi) with i - align a multiple of the stride, in its direction. Nothing if the stride or the number
// of members is out of range.
constexpr std::optional<DRI_Range> range_between(std::int64_t lo, std::int64_t hi, std::int64_t stride,
                                                 std::int64_t align) {
    if (stride == 0 || stride == least_int64)
        return std::nullopt;
    const Int128 step = magnitude(stride);
    const Int128 lowest = lo + modulo(Int128(align) - lo, step);
    const Int128 highest = Int128(hi) - 1 - modulo(Int128(hi) - 1 - align, step);
    if (hi <= lo || lowest >= hi)
        return DRI_Range{lo, stride, 0};
    const Int128 size = (highest - lowest) / step + 1;
    if (!fits_int64(size) || !fits_int64(highest - lowest))
        return std::nullopt;
    return DRI_Range{static_cast<std::int64_t>(stride > 0 ? lowest : highest), stride,
                     static_cast<std::int64_t>(size)};
}

// Every k-th member; a negative k counts backwards from the last one; k != 0. A single one has stride 1.
constexpr DRI_Range every(const DRI_Range &r, std::int64_t k) {
    if (r.size == 0)
        return {r.first, 1, 0};
    const Int128 size = (r.size - 1) / magnitude(k) + 1;
    const std::int64_t first = k > 0 ? r.first : member_at(r, r.size - 1);
    return {first, size == 1 ? 1 : r.stride * k, static_cast<std::int64_t>(size)};
}

// k members more at both ends, or less for k < 0. Nothing if a member exceeds 64 bits.
constexpr std::optional<DRI_Range> expanded(const DRI_Range &r, std::int64_t k) {
    const Int128 size = Int128(r.size) + 2 * Int128(k), first = r.first - Int128(k) * r.stride;
    if (size <= 0)
        return DRI_Range{r.first, r.stride, 0};
    if (!fits_int64(size) || !fits_int64(first))
        return std::nullopt;
    const DRI_Range wider{static_cast<std::int64_t>(first), r.stride, static_cast<std::int64_t>(size)};
    return is_range(wider) ? std::optional(wider) : std::nullopt;
}

// The inverse of a modulo m; both > 0, without a common factor.
constexpr Int128 inverse_modulo(Int128 a, Int128 m) {
    Int128 r0 = m, r1 = modulo(a, m), x0 = 0, x1 = 1;
    while (r1 != 0) {
        const Int128 q = r0 / r1, r2 = r0 - q * r1, x2 = x0 - q * x1;
        r0 = r1;
        r1 = r2;
        x0 = x1;
        x1 = x2;
    }
    return modulo(x0, m);
}

// The members of both, in the direction of a. Members x of both have x = low(a) modulo |stride of a|, and the same
// for b: the Chinese remainder theorem gives the first one.
constexpr DRI_Range common_of(const DRI_Range &a, const DRI_Range &b) {
    if (a.size == 0 || b.size == 0)
        return {a.first, 1, 0};
    const Int128 step_a = a.size == 1 ? 1 : magnitude(a.stride), step_b = b.size == 1 ? 1 : magnitude(b.stride);
    const Int128 from = low_of(a) > low_of(b) ? low_of(a) : low_of(b);
    const Int128 to = high_of(a) < high_of(b) ? high_of(a) : high_of(b);
    const Int128 both = std::gcd(static_cast<std::int64_t>(step_a), static_cast<std::int64_t>(step_b));
    const Int128 apart = Int128(low_of(b)) - low_of(a);
    if (from > to || apart % both != 0)
        return {a.first, 1, 0};
    const Int128 rest = step_b / both;
    const Int128 steps = modulo(modulo(apart / both, rest) * inverse_modulo(step_a / both, rest), rest);
    const Int128 period = step_a * rest, any = low_of(a) + step_a * steps;
    const Int128 lowest = from + modulo(any - from, period);
    if (lowest > to)
        return {a.first, 1, 0};
    const Int128 size = (to - lowest) / period + 1, highest = lowest + (size - 1) * period;
    if (size == 1)
        return {static_cast<std::int64_t>(lowest), 1, 1};
    return {static_cast<std::int64_t>(a.stride > 0 ? lowest : highest),
            static_cast<std::int64_t>(a.stride > 0 ? period : -period), static_cast<std::int64_t>(size)};
}

// The places of sub's members in whole, or nothing if one has none.
constexpr std::optional<DRI_Range> densified(const DRI_Range &sub, const DRI_Range &whole) {
    if (sub.size == 0)
        return DRI_Range{0, 1, 0};
    const std::int64_t first = order_in(whole, sub.first);
    if (first < 0)
        return std::nullopt;
    if (sub.size == 1)
        return DRI_Range{first, 1, 1};
    const bool is_unit = whole.stride == 1; // which needs no division
    if ((!is_unit && sub.stride % whole.stride != 0) || order_in(whole, member_at(sub, sub.size - 1)) < 0)
        return std::nullopt;
    return DRI_Range{first, is_unit ? sub.stride : sub.stride / whole.stride, sub.size};
}

// The members of whole at these places, or nothing if a place is outside.
constexpr std::optional<DRI_Range> undensified(const DRI_Range &dense, const DRI_Range &whole) {
    if (dense.size == 0)
        return DRI_Range{whole.first, 1, 0};
    if (low_of(dense) < 0 || high_of(dense) >= whole.size)
        return std::nullopt;
    return DRI_Range{member_at(whole, dense.first), dense.size == 1 ? 1 : dense.stride * whole.stride, dense.size};
}

} // namespace detail
} // namespace v1
} // namespace dri
