// The sizes of this processor's caches.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace dri {

struct CacheBytes {
    int64_t second = 0, outermost = 0;
};

// Asked once. Where nobody knows a size, a usual one.
CacheBytes cache_bytes();

// What the system's folder of one core's caches tells, as Linux writes it: index*/level, type, size. Empty where
// it does not tell of a second level.
std::optional<CacheBytes> read_caches(const std::filesystem::path &folder);

} // namespace dri
