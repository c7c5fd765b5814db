// Sized -> reserved: the memory of this process's endpoints, with their buffers.
#pragma once

#include "commit/stages.hpp"

namespace dri::commit {

// Fails if memory is short.
Reserved reserve_stage(Sized sized);

} // namespace dri::commit
