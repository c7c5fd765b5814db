// Whether what a thread has found still holds.
#pragma once

#include <atomic>
#include <cstdint>

namespace dri::api {

// Rises whenever endpoints are declared, committed or destroyed, and in a forked child: what a thread found in an
// earlier generation may be gone, not what its name means now, or not its to use.
inline std::atomic<uint64_t> current_generation = 1;

inline void start_generation() noexcept { current_generation.fetch_add(1, std::memory_order_release); }

} // namespace dri::api
