// Cache lines and vectors. This file is compiled once per instruction set: the guard admits it again for each of
// them.
#if defined(DRI_KERNEL_LINES) == defined(HWY_TARGET_TOGGLE)
#ifdef DRI_KERNEL_LINES
#undef DRI_KERNEL_LINES
#else
#define DRI_KERNEL_LINES
#endif

#include "base/memory.hpp"

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace dri::kernel::HWY_NAMESPACE {

#if HWY_TARGET & (HWY_SSE4 | HWY_AVX2 | HWY_AVX3)

namespace hn = hwy::HWY_NAMESPACE;

constexpr int64_t line_bytes = cache_line_bytes;
constexpr int64_t vector_bytes = HWY_MAX_BYTES;

struct alignas(line_bytes) Line {
    std::byte bytes[line_bytes];
};

// Offset of an address in its cache line.
HWY_INLINE int64_t bytes_past_line(const std::byte *p) {
    return static_cast<int64_t>(reinterpret_cast<uintptr_t>(p) % static_cast<uintptr_t>(line_bytes));
}

// Stores one line past the cache. `to` is the start of a cache line.
HWY_INLINE void stream_line(const std::byte *from, std::byte *to) {
    const hn::ScalableTag<uint8_t> d;
    for (int64_t b = 0; b < line_bytes; b += vector_bytes)
        hn::Stream(hn::LoadU(d, reinterpret_cast<const uint8_t *>(from + b)), d,
                   reinterpret_cast<uint8_t *>(to + b));
}

#endif

} // namespace dri::kernel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
