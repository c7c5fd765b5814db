// Limits of workspace, and what a user is told whose limit is too small.
#pragma once

#include "commit/stages.hpp"

#include <cstdint>

namespace dri::commit {

int64_t limit_of(const Endpoint &endpoint);
bool fits(const Endpoint &endpoint, const Sized &sized); // whether its memory stays within its limit
// Fails with DRI_ERR_LIMIT. The message names the endpoint that exceeds its limit by the fewest bytes, and the
// smallest limit that suffices, so the user can set it at once. by_source: the same transfer; the source's bytes
// are taken from it.
[[noreturn]] void fail_beyond_limit(const Sized &smallest, const Sized &by_source);

} // namespace dri::commit
