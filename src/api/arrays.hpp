// Arrays that come in and go out: checked for NULL, copied.
#pragma once

#include "api/guard.hpp"
#include "base/fixed_vector.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <string>

namespace dri {

// A number of dimensions as the user gives it.
inline size_t checked_ndims(int ndims) {
    if (ndims < 0 || static_cast<size_t>(ndims) > max_dims)
        fail(DRI_ERR_ARG, "ndims is {}, but must be 0 to {}", ndims, max_dims);
    return static_cast<size_t>(ndims);
}

// The number that an enumeration from C holds. C lets any number in, and C++ may not load one that is not named.
template <class Enum> int number_of(const Enum &value) {
    static_assert(sizeof value == sizeof(int));
    int number;
    std::memcpy(&number, &value, sizeof number);
    return number;
}

// An array of n values; NULL is right where n is 0.
template <class T> std::span<T> checked_array(T *values, size_t n, const char *name) {
    if (n > 0)
        require_pointer(values, name);
    return {values, n};
}

template <class T> void copy_out(const Dims &values, T *out, const char *name) {
    const auto to = checked_array(out, values.size(), name);
    std::transform(values.begin(), values.end(), to.begin(), [](int64_t v) { return static_cast<T>(v); });
}

inline void copy_text(const std::string &from, char *text, size_t n) {
    require_pointer(text, "text");
    if (n == 0)
        fail(DRI_ERR_ARG, "n is 0, but there must be room for the NUL byte");
    const size_t length = std::min(from.size(), n - 1);
    std::memcpy(text, from.data(), length);
    text[length] = '\0';
}

} // namespace dri
