// Memory for the nodes of a frame that no carrier holds: nodes that are never needed together share it.
#pragma once

#include "graph/frame_steps.hpp"

namespace dri::graph {

// Sets the offsets of these nodes. Returns the bytes of a frame.
int64_t place_in_memory(const PlanBody &plan, FrameSteps &frame);

} // namespace dri::graph
