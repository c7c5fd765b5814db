// Runs of some cache lines and more. Cached: memcpy. Streaming: whole lines of the destination go past the
// cache, what is left at either end of a run goes through it.
#include "kernel/odometer.hpp"
#include "kernel/table.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/long_runs.cpp"
#include <hwy/foreach_target.h>
// Highway wants these after foreach_target.h.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace dri::HWY_NAMESPACE {

#if HWY_TARGET & (HWY_SSE4 | HWY_AVX2 | HWY_AVX3)

namespace hn = hwy::HWY_NAMESPACE;

using Bytes = hn::ScalableTag<uint8_t>;

constexpr int64_t line_bytes = 64;
constexpr int64_t vector_bytes = HWY_MAX_BYTES;

template <size_t... i>
HWY_INLINE void stream_line(const std::byte *src, std::byte *dst, std::index_sequence<i...>) {
    const Bytes d;
    const auto *s = reinterpret_cast<const uint8_t *>(src);
    auto *to = reinterpret_cast<uint8_t *>(dst);
    (hn::Stream(hn::LoadU(d, s + i * vector_bytes), d, to + i * vector_bytes), ...);
}

void stream_run(const std::byte *src, std::byte *dst, int64_t run) {
    const int64_t past_line = static_cast<int64_t>(reinterpret_cast<uintptr_t>(dst) % line_bytes);
    const int64_t head = std::min(run, (line_bytes - past_line) % line_bytes);
    std::memcpy(dst, src, static_cast<size_t>(head));
    int64_t at = head;
    for (; at + line_bytes <= run; at += line_bytes)
        stream_line(src + at, dst + at, std::make_index_sequence<line_bytes / vector_bytes>());
    std::memcpy(dst + at, src + at, static_cast<size_t>(run - at));
}

// Shorter runs spend more on their broken lines than streaming saves.
bool fits_long_runs(const StridedCopy &copy) { return !copy.conversion && copy.run_bytes >= 16 * line_bytes; }

void copy_long_runs(const StridedCopy &copy, const std::byte *src, std::byte *dst, Stores stores) {
    if (stores != Stores::streaming)
        return copy_reference(copy, src, dst, stores);
    for_each_outer(copy, 0, src, dst, [&](const std::byte *s, std::byte *d) { stream_run(s, d, copy.run_bytes); });
    hwy::FlushStream();
}

#endif

} // namespace dri::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
