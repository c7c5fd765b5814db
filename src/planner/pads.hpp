// The pads of a sink's part that hold zeros, as places to fill.
#pragma once

#include "planner/pieces.hpp"

namespace dri {

// Copies whose destinations are the pads of zeros, each byte once, and whose source does not count: at most one
// for each dimension.
std::vector<StridedCopy> zero_pads(const PartView &part);

} // namespace dri
