// Finds the function that converts a line of scalars for an instruction set.
#pragma once

#include "kernel/scalars.hpp"
#include "plan/conversion.hpp"

namespace dri::kernel {

// The fastest function that converts a line and needs no more than `isa`.
ConvertLine line_for(const plan::Conversion &conversion, Isa isa);

// The names of these namespaces are Highway's. vector_line returns null if there is no vector version for a
// conversion.
namespace N_SSE4 {
ConvertLine vector_line(const plan::Conversion &conversion);
} // namespace N_SSE4
namespace N_AVX2 {
ConvertLine vector_line(const plan::Conversion &conversion);
} // namespace N_AVX2
namespace N_AVX3 {
ConvertLine vector_line(const plan::Conversion &conversion);
} // namespace N_AVX3

} // namespace dri::kernel
