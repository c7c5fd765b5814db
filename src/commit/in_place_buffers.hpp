// Transfers whose source and sink share their buffers: which buffers these are.
#pragma once

#include "commit/buffer_layout.hpp"
#include "commit/stages.hpp"
#include "plan/plan.hpp"

namespace dri::commit {

// Fails with DRI_ERR_ARG if this process's source and sink do not have the same buffers.
void check_shared_buffers(const Planned &planned);
// The buffers of both endpoints. Each holds the part of the source or that of the sink, whichever is larger.
BufferLayout shared_buffers(const Planned &planned);
// Whether messages may be sent from the buffers and received into them: nothing that is sent is overwritten, and
// the library keeps the memory until MPI no longer uses it.
bool uses_buffers(const plan::Plan &plan, const BufferLayout &buffers);

} // namespace dri::commit
