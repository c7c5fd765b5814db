// Recognises copies of complex numbers between pairs and planes, and the roles of their loops.
#pragma once

#include "kernel/kernel.hpp"
#include "plan/strided_copy.hpp"

#include <optional>

namespace dri::kernel {

// A copy of components of run_bytes bytes each. On one side two components lie next to each other, and pairs
// follow each other along the loop `pairs`. On the other side components follow each other along the loop `plane`.
struct PlaneLoops {
    bool splits = false;                       // pairs to planes; otherwise planes to pairs
    plan::Loop part{1, 0, 0};                  // over the two components
    plan::Loop pairs{1, 0, 0}, plane{1, 0, 0}; // the same loop if there is no corner turn
    bool turns = false;
    plan::StridedCopy outer; // all other loops
};

// Returns nothing if the copy is not of this kind.
std::optional<PlaneLoops> find_planes(const plan::StridedCopy &copy);

} // namespace dri::kernel
