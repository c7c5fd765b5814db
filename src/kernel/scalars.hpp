// Converts one scalar. Every kernel follows this rule to the bit.
#pragma once

#include "base/error.hpp"
#include "kernel/kernel.hpp"
#include "plan/conversion.hpp"

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace dri::kernel {

// Calls f with a value of the scalar's C++ type.
template <class F> decltype(auto) visit_scalar(Scalar scalar, F f) {
    switch (scalar) {
    case Scalar::int8: return f(int8_t{});
    case Scalar::int16: return f(int16_t{});
    case Scalar::int32: return f(int32_t{});
    case Scalar::int64: return f(int64_t{});
    case Scalar::uint8: return f(uint8_t{});
    case Scalar::uint16: return f(uint16_t{});
    case Scalar::uint32: return f(uint32_t{});
    case Scalar::uint64: return f(uint64_t{});
    case Scalar::float32: return f(float{});
    case Scalar::float64: return f(double{});
    case Scalar::none: break;
    }
    fail(DRI_ERR_INTERNAL, "a conversion has no number type");
}

// The nearest value of the type. Integers saturate, ties go to even, NaN becomes the integer 0.
template <class To, class From> To nearest(From value) {
    using Limits = std::numeric_limits<To>;
    if constexpr (std::floating_point<To>) {
        return static_cast<To>(value);
    } else if constexpr (std::integral<From>) {
        if (std::cmp_less(value, Limits::min()))
            return Limits::min();
        return std::cmp_greater(value, Limits::max()) ? Limits::max() : static_cast<To>(value);
    } else {
        if (std::isnan(value))
            return 0;
        const From rounded = std::rint(value);
        // The bounds of the range are powers of two, which floating-point types hold exactly. The upper one lies
        // just outside.
        if (rounded < static_cast<From>(Limits::min()))
            return Limits::min();
        return rounded >= std::ldexp(From{1}, Limits::digits) ? Limits::max() : static_cast<To>(rounded);
    }
}

template <class T> constexpr bool fits_float = std::is_same_v<T, float> || (std::integral<T> && sizeof(T) <= 2);

// The type in which the scalar is multiplied by the scale.
template <class From, class To>
using Product = std::conditional_t<fits_float<From> && fits_float<To>, float, double>;

template <class To, class From> To convert_scalar(From value, double scale) {
    if (scale == 1)
        return nearest<To>(value);
    using P = Product<From, To>;
    return nearest<To>(static_cast<P>(value) * static_cast<P>(scale));
}

// Converts n scalars that lie one after the other.
using ConvertLine = void (*)(const std::byte *src, std::byte *dst, int64_t n, double scale, Stores stores);

// reference.cpp: converts scalar by scalar, for every pair of types.
ConvertLine plain_line(const plan::Conversion &conversion);

} // namespace dri::kernel
