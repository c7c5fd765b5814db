// What each operation does to one element, and which types it has.
#pragma once

#include "array/type_of.hpp"

#include <dri/piece.h>

#include <cmath>
#include <limits>

namespace dri::array {

template <class T> constexpr bool is_int_v = std::is_integral_v<T>;
template <class T> constexpr bool is_float_v = std::is_floating_point_v<T>;
template <class T> constexpr bool is_real_v = !is_complex_v<T>;

// Integers wrap around: they are computed without a sign.
template <class T> using Bits = std::make_unsigned_t<T>;

template <class T> T quotient(T a, T b) {
    if constexpr (is_int_v<T>) {
        if (b == 0)
            return 0;
        if constexpr (std::is_signed_v<T>) {
            if (b == -1)
                return static_cast<T>(Bits<T>{0} - static_cast<Bits<T>>(a));
            const T q = static_cast<T>(a / b);
            return static_cast<T>(a % b != 0 && (a % b < 0) != (b < 0) ? q - 1 : q);
        } else
            return static_cast<T>(a / b);
    } else
        return a / b;
}

template <class T> T remainder_of(T a, T b) {
    if constexpr (is_int_v<T>) {
        if (b == 0)
            return 0;
        if constexpr (std::is_signed_v<T>) {
            if (b == -1)
                return 0;
            const T r = static_cast<T>(a % b);
            return static_cast<T>(r != 0 && (r < 0) != (b < 0) ? r + b : r);
        } else
            return static_cast<T>(a % b);
    } else {
        const T r = std::fmod(a, b);
        if (r == 0)
            return std::copysign(T{0}, b);
        return (r < 0) != (b < 0) ? r + b : r;
    }
}

template <class T> T product(T a, T b) {
    if constexpr (is_int_v<T>)
        return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    else if constexpr (is_complex_v<T>)
        return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
    else
        return a * b;
}

template <class T> T sum(T a, T b) {
    if constexpr (is_int_v<T>)
        return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
    else
        return a + b;
}

template <class T> T difference(T a, T b) {
    if constexpr (is_int_v<T>)
        return static_cast<T>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
    else
        return a - b;
}

template <class T> T negated(T a) {
    if constexpr (is_int_v<T>)
        return difference(T{0}, a);
    else
        return -a;
}

template <class T> auto magnitude(T a) {
    if constexpr (is_int_v<T>)
        return std::is_signed_v<T> && a < T{0} ? negated(a) : a;
    else
        return std::abs(a);
}

template <class T> T least(T a, T b) { return a < b || a != a ? a : b; }
template <class T> T greatest(T a, T b) { return a > b || a != a ? a : b; }

// One structure per operation: whether it has a type, how many operands, and its result.
#define DRI_OPERATION_1(NAME, HAS, EXPRESSION)                                                                    \
    struct NAME {                                                                                                 \
        static constexpr int operands = 1;                                                                        \
        template <class T> static constexpr bool has = HAS;                                                       \
        template <class T> static auto of(T a) { return EXPRESSION; }                                             \
    };
#define DRI_OPERATION_2(NAME, HAS, EXPRESSION)                                                                    \
    struct NAME {                                                                                                 \
        static constexpr int operands = 2;                                                                        \
        template <class T> static constexpr bool has = HAS;                                                       \
        template <class T> static auto of(T a, T b) { return EXPRESSION; }                                        \
    };
DRI_OPERATION_1(OpCopy, true, a)
DRI_OPERATION_1(OpNeg, !std::is_unsigned_v<T>, negated(a))
DRI_OPERATION_1(OpAbs, true, magnitude(a))
DRI_OPERATION_1(OpNot, is_int_v<T>, static_cast<T>(~a))
DRI_OPERATION_1(OpSqrt, !is_int_v<T>, T(std::sqrt(a)))
DRI_OPERATION_1(OpExp, !is_int_v<T>, T(std::exp(a)))
DRI_OPERATION_1(OpLog, is_float_v<T>, T(std::log(a)))
DRI_OPERATION_1(OpSin, is_float_v<T>, T(std::sin(a)))
DRI_OPERATION_1(OpCos, is_float_v<T>, T(std::cos(a)))
DRI_OPERATION_1(OpTanh, is_float_v<T>, T(std::tanh(a)))
DRI_OPERATION_1(OpFloor, is_float_v<T>, T(std::floor(a)))
DRI_OPERATION_1(OpRound, is_float_v<T>, T(std::nearbyint(a)))
DRI_OPERATION_1(OpConj, is_complex_v<T>, T(a.real(), -a.imag()))
DRI_OPERATION_1(OpReal, is_complex_v<T>, a.real())
DRI_OPERATION_1(OpImag, is_complex_v<T>, a.imag())
DRI_OPERATION_1(OpMag2, is_complex_v<T>, a.real() * a.real() + a.imag() * a.imag())
DRI_OPERATION_2(OpAdd, true, sum(a, b))
DRI_OPERATION_2(OpSub, true, difference(a, b))
DRI_OPERATION_2(OpMul, true, product(a, b))
DRI_OPERATION_2(OpDiv, true, quotient(a, b))
DRI_OPERATION_2(OpEq, true, static_cast<uint8_t>(a == b))
DRI_OPERATION_2(OpNe, true, static_cast<uint8_t>(a != b))
DRI_OPERATION_2(OpMin, is_real_v<T>, least(a, b))
DRI_OPERATION_2(OpMax, is_real_v<T>, greatest(a, b))
DRI_OPERATION_2(OpLt, is_real_v<T>, static_cast<uint8_t>(a < b))
DRI_OPERATION_2(OpLe, is_real_v<T>, static_cast<uint8_t>(a <= b))
DRI_OPERATION_2(OpGt, is_real_v<T>, static_cast<uint8_t>(a > b))
DRI_OPERATION_2(OpGe, is_real_v<T>, static_cast<uint8_t>(a >= b))
DRI_OPERATION_2(OpMod, is_real_v<T>, remainder_of(a, b))
DRI_OPERATION_2(OpAnd, is_int_v<T>, static_cast<T>(a &b))
DRI_OPERATION_2(OpOr, is_int_v<T>, static_cast<T>(a | b))
DRI_OPERATION_2(OpXor, is_int_v<T>, static_cast<T>(a ^ b))
DRI_OPERATION_2(OpPow, is_float_v<T>, T(std::pow(a, b)))
DRI_OPERATION_2(OpAtan2, is_float_v<T>, T(std::atan2(a, b)))
#undef DRI_OPERATION_1
#undef DRI_OPERATION_2

} // namespace dri::array
