// Sized -> reserved: the memory of this process's endpoints, with their buffers.
#pragma once

#include "commit/stages.hpp"
#include "transport/user_memory.hpp"

namespace dri::commit {

// Fails if memory is short.
Reserved reserve_stage(Sized sized, const transport::UserMemory &memory);

} // namespace dri::commit
