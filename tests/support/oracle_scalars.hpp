// What a conversion makes of one number, by the words of the interface description, in numbers that hold every
// value of every type.
#pragma once

#include "model/element_type.hpp"
#include "plan/conversion.hpp"

#include <cstddef>

namespace dri::test {

// The library's name of a type's components.
Scalar plain_scalar(const ElementType &type);

// Makes the number at `src` one of the other type at `dst`.
void convert_plainly(const Conversion &conversion, const std::byte *src, std::byte *dst);

// Whether two numbers of a type are the same, bit by bit; one NaN is as good as another.
bool same_number(Scalar type, const std::byte *a, const std::byte *b);

// A number of that type at `dst`, of any size and kind: zeros, small and huge ones, halves, infinities, NaNs.
void make_number(Scalar type, uint64_t seed, std::byte *dst);

} // namespace dri::test
