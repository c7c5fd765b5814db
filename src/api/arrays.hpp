// Checks arrays and numbers that the user passes, and copies results into the user's arrays.
#pragma once

#include "api/guard.hpp"
#include "base/enum_number.hpp"
#include "base/fixed_vector.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <string>

namespace dri::api {

// The user's number of dimensions, checked to be 0 to max_dims.
inline size_t checked_ndims(int ndims) {
    if (ndims < 0 || static_cast<size_t>(ndims) > max_dims)
        fail(DRI_ERR_ARG, "ndims is {}, but must be 0 to {}", ndims, max_dims);
    return static_cast<size_t>(ndims);
}

// The user's array of n values. NULL is allowed if n is 0. Otherwise NULL fails with DRI_ERR_ARG.
template <class T> std::span<T> checked_array(T *values, size_t n, const char *name) {
    if (n > 0)
        require_pointer(values, name);
    return {values, n};
}

template <class T> void copy_out(const Dims &values, T *out, const char *name) {
    const auto to = checked_array(out, values.size(), name);
    std::transform(values.begin(), values.end(), to.begin(), [](int64_t v) { return static_cast<T>(v); });
}

// Copies as much of a text as fits into n bytes, always with a NUL byte at the end.
inline void copy_text(const std::string &from, char *text, size_t n) {
    require_pointer(text, "text");
    if (n == 0)
        fail(DRI_ERR_ARG, "n is 0, but must be at least 1 for the NUL byte");
    const size_t length = std::min(from.size(), n - 1);
    std::memcpy(text, from.data(), length);
    text[length] = '\0';
}

} // namespace dri::api
