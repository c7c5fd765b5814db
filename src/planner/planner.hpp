// Planning is a pure function of what all processes agreed on and of a rank. It uses no communication, clock,
// environment or addresses. The cost grows with the partners of that rank and with the block patterns, not with
// the array.
#pragma once

#include "plan/plan.hpp"
#include "planner/node_map.hpp"
#include "planner/plan_options.hpp"
#include "planner/side.hpp"

namespace dri::planner {

// The plan of process `rank` for each frame between a source side and a sink side. A process that is in neither
// group receives an empty plan. `nodes` decides which copy of a replicated source is near, and whose memory can be
// read.
plan::Plan make_plan(const Side &source, const Side &sink, const PlanOptions &options, int rank,
                     const NodeMap &nodes = {});

} // namespace dri::planner
