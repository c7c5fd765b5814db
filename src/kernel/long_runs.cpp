// Runs of whole cache lines and more. Cached: memcpy. Streaming: whole lines of the destination go past the cache,
// what is left at either end of a run goes through it. The hardware foresees lines, not where the next run begins:
// that is fetched meanwhile.
#include "kernel/odometer.hpp"
#include "kernel/table.hpp"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/long_runs.cpp"
#include <hwy/foreach_target.h>
// Highway wants these after foreach_target.h.
#include "kernel/lines-inl.hpp"
#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace dri::HWY_NAMESPACE {

#if HWY_TARGET & (HWY_SSE4 | HWY_AVX2 | HWY_AVX3)

// Shorter runs spend more on their broken lines than streaming saves.
constexpr int64_t broken_run_bytes = 16 * line_bytes;

// Beyond its beginning the hardware follows a run by itself.
constexpr int64_t fetched_bytes = 32 * line_bytes;

HWY_INLINE void stream_run(const std::byte *src, std::byte *dst, int64_t run, const std::byte *next) {
    const int64_t head = std::min(run, (line_bytes - bytes_past_line(dst)) % line_bytes);
    if (head > 0)
        std::memcpy(dst, src, static_cast<size_t>(head));
    int64_t at = head;
    const auto stream_to = [&](int64_t end, bool fetch) {
        for (; at + line_bytes <= end; at += line_bytes) {
            if (fetch)
                __builtin_prefetch(next + at, 0);
            stream_line(src + at, dst + at);
        }
    };
    stream_to(std::min(run, fetched_bytes), true);
    stream_to(run, false);
    if (at < run)
        std::memcpy(dst + at, src + at, static_cast<size_t>(run - at));
}

// Runs of a few whole lines pay as long as they do not lie far apart in the source.
bool streams_short_runs(const StridedCopy &copy, const std::byte *dst) {
    const auto whole = [](int64_t bytes) { return bytes % line_bytes == 0; };
    return copy.run_bytes >= 4 * line_bytes && whole(copy.run_bytes) && bytes_past_line(dst) == 0 &&
           std::all_of(copy.loops.begin(), copy.loops.end(), [&](const Loop &l) { return whole(l.dst_stride); }) &&
           !copy.loops.empty() && std::abs(copy.loops.back().src_stride) <= 8 * copy.run_bytes;
}

bool fits_long_runs(const StridedCopy &copy) { return !copy.conversion && copy.run_bytes >= line_bytes; }

void copy_long_runs(const StridedCopy &copy, const std::byte *src, std::byte *dst, Stores stores) {
    const bool streams = copy.run_bytes >= broken_run_bytes || streams_short_runs(copy, dst + copy.dst_offset);
    if (stores != Stores::streaming || !streams)
        return copy_reference(copy, src, dst, stores);
    if (copy.loops.empty())
        stream_run(src + copy.src_offset, dst + copy.dst_offset, copy.run_bytes, src + copy.src_offset);
    else
        for_each_outer(copy, 1, src, dst, [&](const std::byte *s, std::byte *d) {
            const Loop &l = copy.loops.back();
            for (int64_t i = 0; i < l.count; ++i, s += l.src_stride, d += l.dst_stride)
                stream_run(s, d, copy.run_bytes, s + l.src_stride);
        });
    hwy::FlushStream();
}

#endif

} // namespace dri::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
