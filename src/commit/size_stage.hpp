// Planned -> sized: all memory of a transfer, as layouts. Limits of workspace are kept here, before anything is
// reserved.
#pragma once

#include "commit/memory_handles.hpp"
#include "commit/plan_stage.hpp"
#include "commit/stages.hpp"

namespace dri::commit {

// Gives messages as much memory as is best within the workspace limits of this process's endpoints. If messages do
// not fit, they become shorter. Fails with DRI_ERR_LIMIT if even the shortest do not fit. sources: those that this
// process reads where they lie, if that is known; see add_tiles().
Sized size_stage(Planned planned, SharedPlans &plans, const ReadSources &sources);

// The smallest memory in which the endpoint can work, whatever the limits. The lengths of messages are those that
// a commit could choose.
Sized size_minimum(const Endpoint &endpoint, const Planned &planned, SharedPlans &plans,
                   const ReadSources &sources);

// Adds the memory for tiles of these sources to the layouts of sinks.
void add_tiles(Sized &sized, const ReadSources &sources);

} // namespace dri::commit
