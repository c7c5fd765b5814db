// The user's buffers of all endpoints of a transfer: whether they are apart and large enough, and how other
// processes read those of the source.
#pragma once

#include "commit/stages.hpp"
#include "transport/shared_source.hpp"
#include "transport/user_memory.hpp"

#include <span>
#include <vector>

namespace dri::commit {

// These fail with DRI_ERR_ARG. check_one_buffer(): of endpoints with DRI_ATTR_REBIND. check_apart() is not for
// transfers in place.
void check_one_buffer(const Planned &planned);
void check_apart(const Planned &planned);
void check_sizes(const Planned &planned, const transport::UserMemory &memory);

// Whether the system can read the user's buffers for another process. Those in memory of DRI_alloc are not asked
// for.
bool are_readable(const Endpoint &endpoint, const transport::UserMemory &memory);
// Where pullers find the buffers of a source, null for those of the library: those in memory of DRI_alloc are
// mapped, and others are read with the system's help if `reads`. Empty if all buffers are in the source's shared
// memory, or copied there.
std::vector<transport::Elsewhere> find_elsewhere(std::span<void *const> buffers,
                                                 const transport::UserMemory &memory, bool reads);
// Whether other processes can map all of these buffers. Those of the library are null.
bool can_be_mapped(std::span<void *const> buffers, const transport::UserMemory &memory);

} // namespace dri::commit
