// The sizes of this processor's caches.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace dri::inline base {

// Bytes of the second-level cache and of the outermost one.
struct CacheBytes {
    int64_t second = 0, outermost = 0;
};

// The sizes are determined once per process. If the system does not report a size, a typical one is returned.
CacheBytes cache_bytes();

// Reads the folder in which Linux describes the caches of one core: index*/level, type and size. Returns nothing
// if the folder describes no second-level cache.
std::optional<CacheBytes> read_caches(const std::filesystem::path &folder);

} // namespace dri::inline base
