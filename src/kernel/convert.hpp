// Finds the function that converts a line of scalars for an instruction set.
#pragma once

#include "kernel/scalars.hpp"
#include "plan/conversion.hpp"

namespace dri::kernel {

// The fastest function that converts a line and needs no more than `isa`.
ConvertLine line_for(const plan::Conversion &conversion, Isa isa);

// The functions that convert a line a vector at a time, best first. `find` returns null if there is none for a
// conversion. A row without it ends the list. Defined in convert_line.cpp.
struct VectorLines {
    Isa isa{};
    ConvertLine (*find)(const plan::Conversion &conversion) = nullptr;
};
extern const VectorLines vector_lines[];

} // namespace dri::kernel
