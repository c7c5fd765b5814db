// Copies that convert: lines of numbers, and copies in tiles whose lines are long.
#pragma once

#include "kernel/scalars.hpp"

namespace dri {

// The best way to convert a line with no more than `isa`.
ConvertLine line_for(const Conversion &conversion, Isa isa);

// The names of these namespaces are Highway's. Nothing where there is no line by vectors.
namespace N_SSE4 {
ConvertLine vector_line(const Conversion &conversion);
} // namespace N_SSE4
namespace N_AVX2 {
ConvertLine vector_line(const Conversion &conversion);
} // namespace N_AVX2
namespace N_AVX3 {
ConvertLine vector_line(const Conversion &conversion);
} // namespace N_AVX3

} // namespace dri
