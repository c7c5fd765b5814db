// The conversion of a single number, as the interface describes it. It is computed in a type that holds every
// value of every scalar.
#pragma once

#include "model/element_type.hpp"
#include "plan/conversion.hpp"

#include <cstddef>

namespace dri::test {

// The library's scalar of a type's components.
Scalar plain_scalar(const model::ElementType &type);

// Converts the number at `src` to the other type at `dst`.
void convert_plainly(const plan::Conversion &conversion, const std::byte *src, std::byte *dst);

// Whether two numbers of a type have the same bits, or are both NaN.
bool same_number(Scalar type, const std::byte *a, const std::byte *b);

// Writes a number of any size and sort to `dst`: zeros, small and huge ones, halves, infinities, NaNs.
void make_number(Scalar type, uint64_t seed, std::byte *dst);

} // namespace dri::test
