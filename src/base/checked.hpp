// Integer arithmetic that fails instead of wrapping.
#pragma once

#include "base/error.hpp"

#include <cstdint>
#include <limits>

namespace dri::inline base {

inline int64_t checked_mul(int64_t a, int64_t b) {
    int64_t r;
    if (__builtin_mul_overflow(a, b, &r))
        fail(DRI_ERR_OVERFLOW, "{} x {} does not fit into 64 bits", a, b);
    return r;
}

inline int64_t checked_add(int64_t a, int64_t b) {
    int64_t r;
    if (__builtin_add_overflow(a, b, &r))
        fail(DRI_ERR_OVERFLOW, "{} + {} does not fit into 64 bits", a, b);
    return r;
}

template <class To> To narrow(int64_t value) {
    if (value < std::numeric_limits<To>::min() || value > std::numeric_limits<To>::max())
        fail(DRI_ERR_OVERFLOW, "{} does not fit into {} bits", value, 8 * sizeof(To));
    return static_cast<To>(value);
}

// a / b rounded up; a >= 0, b > 0.
constexpr int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }
// a / b rounded towards minus infinity, for either sign of a; b > 0.
template <class T> constexpr T floor_div(T a, T b) { return a / b - (a % b < 0); }
// The smallest multiple of b that is at least a; a >= 0, b > 0. Returns the largest int64_t if it does not fit.
constexpr int64_t round_up(int64_t a, int64_t b) {
    int64_t r = 0;
    return __builtin_mul_overflow(ceil_div(a, b), b, &r) ? std::numeric_limits<int64_t>::max() : r;
}

__extension__ using Wide = __int128;

// a * b / c without overflow of the product; 0 <= a, 0 <= b, 0 < c, and the result must fit.
constexpr int64_t mul_div(int64_t a, int64_t b, int64_t c) {
    return static_cast<int64_t>(static_cast<Wide>(a) * static_cast<Wide>(b) / static_cast<Wide>(c));
}

// (a * b) % c without overflow of the product; 0 <= a, 0 <= b, 0 < c.
constexpr int64_t mul_mod(int64_t a, int64_t b, int64_t c) {
    return static_cast<int64_t>(static_cast<Wide>(a) * static_cast<Wide>(b) % static_cast<Wide>(c));
}

} // namespace dri::inline base
