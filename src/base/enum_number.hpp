// Enumerations of the C interface as numbers.
#pragma once

#include <cstring>

namespace dri::inline base {

// The number that an enumeration from C holds. C allows any number, and in C++ it is undefined to load a value
// that is outside the enumeration.
template <class Enum> int number_of(const Enum &value) {
    static_assert(sizeof value == sizeof(int));
    int number;
    std::memcpy(&number, &value, sizeof number);
    return number;
}

} // namespace dri::inline base
