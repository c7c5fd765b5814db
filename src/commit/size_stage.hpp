// Planned -> sized: all memory of a transfer, as layouts. Limits of workspace are kept here, before anything is
// reserved.
#pragma once

#include "commit/memory_handles.hpp"
#include "commit/plan_stage.hpp"
#include "commit/stages.hpp"

namespace dri::commit {

// Gives messages as much memory as is best within the workspace limits of this process's endpoints. If messages do
// not fit, they become shorter. Fails with DRI_ERR_LIMIT if even the shortest do not fit. If there are limits, the
// memory for tiles must be known.
Sized size_stage(Planned planned, SharedPlans &plans);

// The smallest memory in which the endpoint can work, whatever the limits. The lengths of messages are those that
// a commit could choose.
Sized size_minimum(const Endpoint &endpoint, const Planned &planned, SharedPlans &plans);

// The same transfer, with the memory for tiles of the sources that this process reads where they lie. It is the
// same for all lengths of messages, so it is computed once: before the sizes if there are limits or for a query,
// otherwise when the memory handles have arrived.
Planned with_tiles(Planned planned, const ReadSources &sources);

} // namespace dri::commit
