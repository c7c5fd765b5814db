// The C++ type of each element type of the library that is a number.
#pragma once

#include "outer/calls.hpp"

#include <dri/gdo.h>

#include <complex>
#include <cstdint>
#include <type_traits>

namespace dri::array {

template <class T> struct NumberTag { using type = T; };

template <class T> constexpr bool is_complex_v = false;
template <class T> constexpr bool is_complex_v<std::complex<T>> = true;

// Calls f with the tag of the type. Returns whether there is one.
template <class F> bool with_number(DRI_Type type, F &&f) {
    const auto is = [&](DRI_Type one) { return one.id == type.id; };
    if (is(DRI_INT8))
        return f(NumberTag<int8_t>{}), true;
    if (is(DRI_INT16))
        return f(NumberTag<int16_t>{}), true;
    if (is(DRI_INT32))
        return f(NumberTag<int32_t>{}), true;
    if (is(DRI_INT64))
        return f(NumberTag<int64_t>{}), true;
    if (is(DRI_UINT8))
        return f(NumberTag<uint8_t>{}), true;
    if (is(DRI_UINT16))
        return f(NumberTag<uint16_t>{}), true;
    if (is(DRI_UINT32))
        return f(NumberTag<uint32_t>{}), true;
    if (is(DRI_UINT64))
        return f(NumberTag<uint64_t>{}), true;
    if (is(DRI_FLOAT))
        return f(NumberTag<float>{}), true;
    if (is(DRI_DOUBLE))
        return f(NumberTag<double>{}), true;
    if (is(DRI_COMPLEX_FLOAT))
        return f(NumberTag<std::complex<float>>{}), true;
    if (is(DRI_COMPLEX_DOUBLE))
        return f(NumberTag<std::complex<double>>{}), true;
    return false;
}

// The type of the library.
template <class T> DRI_Type number_type() {
    if constexpr (is_complex_v<T>)
        return std::is_same_v<T, std::complex<float>> ? DRI_COMPLEX_FLOAT : DRI_COMPLEX_DOUBLE;
    else if constexpr (std::is_floating_point_v<T>)
        return std::is_same_v<T, float> ? DRI_FLOAT : DRI_DOUBLE;
    else if constexpr (std::is_signed_v<T>)
        return sizeof(T) == 1 ? DRI_INT8 : sizeof(T) == 2 ? DRI_INT16 : sizeof(T) == 4 ? DRI_INT32 : DRI_INT64;
    else
        return sizeof(T) == 1 ? DRI_UINT8 : sizeof(T) == 2 ? DRI_UINT16 : sizeof(T) == 4 ? DRI_UINT32 : DRI_UINT64;
}

} // namespace dri::array
