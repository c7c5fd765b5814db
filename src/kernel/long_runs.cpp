// Copies runs of whole cache lines and more.
// - Cached: memcpy.
// - Fetched: memcpy, while the runs that follow are fetched.
// - Streaming: whole lines of the destination are written past the cache; incomplete lines at both ends of a run
//   are written through it.
// When streaming, a few runs are copied side by side, because memory is faster from several pages at once. The
// runs that follow are fetched meanwhile: the hardware predicts the next lines, but not where the next run starts.
#include "kernel/odometer.hpp"
#include "kernel/table.hpp"
#include "kernel/vector_sets.hpp"
#include "plan/strided_copy.hpp"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/long_runs.cpp"
#include <hwy/foreach_target.h>
// Highway requires that these follow foreach_target.h.
#include "kernel/lines-inl.hpp"
#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace dri::kernel::HWY_NAMESPACE {

#if HWY_TARGET & (HWY_SSE4 | HWY_AVX2 | HWY_AVX3)

// Minimum run length for streaming. Shorter runs lose more on incomplete lines than streaming saves.
constexpr int64_t broken_run_bytes = 16 * line_bytes;

// Number of runs that are copied side by side. It is higher for short runs, because the hardware follows none of
// them for long.
constexpr int64_t long_together = 4, short_together = 16, longest_short = 2048;
// Number of runs side by side if they follow each other in the source without gaps. The hardware sees them as one
// stream.
constexpr int64_t dense_together = 2;
// Runs are fetched this many bytes before their turn, into the second cache, which can have more lines under way
// than the first. After fetched_bytes the hardware follows a run by itself.
constexpr int64_t ahead_bytes = 8192, fetched_bytes = 256 * line_bytes;

// Iterates over the runs of the two innermost loops. After the last run, left() is 0.
class RunCursor {
public:
    RunCursor(const plan::StridedCopy &copy, const std::byte *src, std::byte *dst)
        : inner_(copy.loops.back()),
          outer_(copy.loops.size() > 1 ? copy.loops[copy.loops.size() - 2] : plan::Loop{1, 0, 0}),
          left_(inner_.count * outer_.count), src_(src), dst_(dst) {}

    int64_t left() const { return left_; }
    const std::byte *src() const { return src_; }
    std::byte *dst() const { return dst_; }
    HWY_INLINE void next() {
        if (left_ == 0 || --left_ == 0)
            return;
        src_ += inner_.src_stride;
        dst_ += inner_.dst_stride;
        if (++at_ < inner_.count)
            return;
        at_ = 0;
        src_ += outer_.src_stride - inner_.count * inner_.src_stride;
        dst_ += outer_.dst_stride - inner_.count * inner_.dst_stride;
    }

private:
    plan::Loop inner_, outer_;
    int64_t left_, at_ = 0;
    const std::byte *src_;
    std::byte *dst_;
};

struct Run {
    const std::byte *src, *ahead; // ahead: source of a later run, or null
    std::byte *dst;
};

// Copies n runs side by side. Their destinations must have the same offset in a cache line.
template <int64_t n> HWY_INLINE void stream_runs(const Run (&runs)[n], int64_t bytes) {
    const int64_t head = std::min(bytes, (line_bytes - bytes_past_line(runs[0].dst)) % line_bytes);
    if (head > 0)
        for (const Run &run : runs)
            std::memcpy(run.dst, run.src, static_cast<size_t>(head));
    int64_t at = head;
    const auto stream_to = [&](int64_t end, bool fetch) {
        for (; at + line_bytes <= end; at += line_bytes)
            for (const Run &run : runs) {
                if (fetch)
                    __builtin_prefetch(run.ahead + at, 0, 2);
                stream_line(run.src + at, run.dst + at);
            }
    };
    if (runs[n - 1].ahead) // then all runs have one
        stream_to(std::min(bytes, fetched_bytes), true);
    stream_to(bytes, false);
    if (at < bytes)
        for (const Run &run : runs)
            std::memcpy(run.dst + at, run.src + at, static_cast<size_t>(bytes - at));
}

// Copies the runs of the two innermost loops through the cache.
void copy_plane(const plan::StridedCopy &copy, const std::byte *src, std::byte *dst) {
    const int64_t bytes = copy.run_bytes, fetched = std::min(bytes, fetched_bytes);
    RunCursor runs(copy, src, dst), ahead = runs;
    for (int64_t k = std::max<int64_t>(1, ahead_bytes / bytes); k > 0; --k)
        ahead.next();
    for (; runs.left() > 0; runs.next(), ahead.next()) {
        for (int64_t at = 0; at < fetched && ahead.left() > 0; at += line_bytes)
            __builtin_prefetch(ahead.src() + at, 0, 2);
        std::memcpy(runs.dst(), runs.src(), static_cast<size_t>(bytes));
    }
}

// Copies the runs of the two innermost loops past the cache, `together` of them side by side if possible.
template <int64_t together>
void stream_plane(const plan::StridedCopy &copy, const std::byte *src, std::byte *dst) {
    const bool alike = std::all_of(copy.loops.begin(), copy.loops.end(),
                                   [](const plan::Loop &l) { return l.dst_stride % line_bytes == 0; });
    const int64_t bytes = copy.run_bytes;
    RunCursor runs(copy, src, dst), ahead = runs;
    for (int64_t k = std::max(together, ahead_bytes / bytes); k > 0; --k)
        ahead.next();
    const auto take = [&] {
        const Run run{runs.src(), ahead.left() > 0 ? ahead.src() : nullptr, runs.dst()};
        runs.next();
        ahead.next();
        return run;
    };
    while (alike && runs.left() >= together) {
        Run group[together];
        for (Run &run : group)
            run = take();
        stream_runs(group, bytes);
    }
    while (runs.left() > 0)
        stream_runs<1>({take()}, bytes);
}

// Streaming runs of only a few whole lines pays if they do not lie far apart in the source.
bool streams_short_runs(const plan::StridedCopy &copy, const std::byte *dst) {
    const auto whole = [](int64_t bytes) { return bytes % line_bytes == 0; };
    return copy.run_bytes >= 4 * line_bytes && whole(copy.run_bytes) && bytes_past_line(dst) == 0 &&
           std::all_of(copy.loops.begin(), copy.loops.end(),
                       [&](const plan::Loop &l) { return whole(l.dst_stride); }) &&
           !copy.loops.empty() && std::abs(copy.loops.back().src_stride) <= 8 * copy.run_bytes;
}

void copy_long_runs(const plan::StridedCopy &copy, const std::byte *src, std::byte *dst, Stores stores) {
    const bool streams = stores == Stores::streaming &&
                         (copy.run_bytes >= broken_run_bytes || streams_short_runs(copy, dst + copy.dst_offset));
    const size_t inner = std::min<size_t>(2, copy.loops.size());
    if (stores == Stores::cached || (copy.loops.empty() && !streams))
        return copy_reference(copy, src, dst, stores);
    if (!streams)
        return for_each_outer(copy, inner, src, dst,
                              [&](const std::byte *s, std::byte *d) { copy_plane(copy, s, d); });
    if (copy.loops.empty())
        stream_runs<1>({{src + copy.src_offset, nullptr, dst + copy.dst_offset}}, copy.run_bytes);
    else
        for_each_outer(copy, inner, src, dst, [&](const std::byte *s, std::byte *d) {
            if (copy.loops.back().src_stride == copy.run_bytes)
                stream_plane<dense_together>(copy, s, d);
            else if (copy.run_bytes <= longest_short)
                stream_plane<short_together>(copy, s, d);
            else
                stream_plane<long_together>(copy, s, d);
        });
    hwy::FlushStream();
}

#endif

} // namespace dri::kernel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dri::kernel {

// Source runs at distances that are a multiple of this compete for the same lines of the second cache. Usual
// processors repeat after 64 or 128 KB.
constexpr int64_t same_sets_bytes = int64_t{128} << 10;

// If the innermost loop's runs compete for cache lines, the loop whose runs are dense in the source becomes
// innermost.
plan::StridedCopy arrange_long_runs(const plan::StridedCopy &copy) {
    plan::StridedCopy arranged = copy;
    plan::Loops &loops = arranged.loops;
    if (loops.empty() || loops.back().src_stride == 0 || loops.back().src_stride % same_sets_bytes != 0)
        return arranged;
    plan::Loop *const dense = std::find_if(loops.begin(), loops.end(),
                                           [&](const plan::Loop &l) { return l.src_stride == copy.run_bytes; });
    if (dense != loops.end())
        std::rotate(dense, dense + 1, loops.end());
    return arranged;
}

namespace {

[[maybe_unused]] bool fits_long_runs(const plan::StridedCopy &copy) {
    return !copy.conversion && copy.run_bytes >= cache_line_bytes;
}

} // namespace

#define DRI_VERSION(isa, set) {Isa::isa, fits_long_runs, set::copy_long_runs},
constexpr Version long_runs_versions[] = {DRI_FOR_VECTOR_SETS(DRI_VERSION){}};
#undef DRI_VERSION

const Family long_runs_kernel{"long runs", arrange_long_runs, long_runs_versions};

} // namespace dri::kernel
#endif
