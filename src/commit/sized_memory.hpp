// What the layouts of a sized transfer add up to. A query reports these numbers, and so does the running transfer.
#pragma once

#include "commit/stages.hpp"
#include "exec/parts.hpp"

#include <cstdint>

namespace dri::commit {

int64_t tile_bytes(const PlannedFlow &flow); // the flow's memory for tiles; fails if it is not known yet
exec::EndpointMemory source_memory(const Sized &sized);
exec::EndpointMemory sink_memory(const Sized &sized, size_t flow);
exec::EndpointMemory memory_of(const Endpoint &endpoint, const Sized &sized); // either of them
// Memory of the endpoint's part of the plans, see exec::plan_bytes().
int64_t plan_bytes_of(const Endpoint &endpoint, const Sized &sized);

} // namespace dri::commit
