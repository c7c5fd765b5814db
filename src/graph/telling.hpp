// What this process tells the others about its graph.
#pragma once

#include "graph/operations.hpp"
#include "graph/reach.hpp"

namespace dri::graph {

// Fails with DRI_ERR_UNSUPPORTED for a sink that drops frames beside others.
ToldGraph tell(const GraphBody &body, const Reached &reached, int rank);

} // namespace dri::graph
