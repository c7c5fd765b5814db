// Finds the pads of a sink's part that hold zeros, as copies that fill them.
#pragma once

#include "plan/strided_copy.hpp"
#include "planner/pieces.hpp"

namespace dri::planner {

// Copies whose destinations are the zero pads, each byte once. Their sources have no meaning. There is at most one
// copy per dimension.
std::vector<plan::StridedCopy> zero_pads(const PartView &part);

} // namespace dri::planner
