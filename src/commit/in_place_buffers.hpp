// Transfers whose source and sink share their buffers: which buffers these are.
#pragma once

#include "commit/buffer_layout.hpp"
#include "commit/stages.hpp"

namespace dri::commit {

// Fails with DRI_ERR_ARG if this process's source and sink do not have the same buffers.
void check_shared_buffers(const Planned &planned);
// The buffers of both endpoints. Each holds the part of the source or that of the sink, whichever is larger.
BufferLayout shared_buffers(const Planned &planned);

} // namespace dri::commit
