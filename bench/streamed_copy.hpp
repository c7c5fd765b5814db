#pragma once

#include <cstddef>

namespace bench {

using CopyFunction = void (*)(std::byte *to, const std::byte *from, std::size_t bytes);

// Returns the widest copy with non-temporal stores that this processor supports. `to` must be aligned to a cache
// line.
CopyFunction streamed_copy();
const char *streamed_copy_isa();

} // namespace bench
