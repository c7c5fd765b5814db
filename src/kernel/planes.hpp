// Copies of complex numbers between pairs and planes: which loops do what.
#pragma once

#include "kernel/kernel.hpp"

#include <optional>

namespace dri {

// A copy of components, `run_bytes` each. On one side two components lie next to each other and pairs follow each
// other along the loop `pairs`; on the other side components follow each other along the loop `plane`.
struct PlaneLoops {
    bool splits = false;                 // pairs to planes; else planes to pairs
    Loop part{1, 0, 0};                  // over the two components
    Loop pairs{1, 0, 0}, plane{1, 0, 0}; // one and the same where no corner is turned
    bool turns = false;
    StridedCopy outer; // all other loops
};

// Nothing where a copy is none of these.
std::optional<PlaneLoops> find_planes(const StridedCopy &copy);

} // namespace dri
