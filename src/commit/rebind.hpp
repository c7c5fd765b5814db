// Endpoints whose buffer changes from frame to frame (DRI_ATTR_REBIND).
#pragma once

#include "commit/endpoint.hpp"
#include "transport/user_memory.hpp"

#include <cstddef>
#include <cstdint>

namespace dri::commit {

// Sets the buffer of the frames that are handed over, or waited for, after this. Fails with DRI_ERR_ARG if it is
// not aligned or does not end in its memory from DRI_alloc, and as exec::LocalTransfer::rebind() does.
void rebind(const Endpoint &endpoint, std::byte *buffer, const transport::UserMemory &memory);

// Whether the endpoint has a buffer of the user's in that range. A declared endpoint counts from its declaration
// on: a commit may be under way. Of an endpoint whose buffer changes, the buffer of the next frame counts, and
// that of a frame that has begun until it is done.
bool uses(const Endpoint &endpoint, const std::byte *begin, int64_t bytes);

} // namespace dri::commit
