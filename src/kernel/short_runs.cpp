// Copies runs shorter than a cache line that follow each other in the destination, wherever they lie in the
// source: the corner turn of records. Beyond the cache the runs are joined to whole cache
// lines, which are written once and past the cache. A column may start anywhere in a line. The remainder of its
// last line is kept for the next strip.
#include "kernel/odometer.hpp"
#include "kernel/table.hpp"
#include "kernel/vector_sets.hpp"
#include "plan/strided_copy.hpp"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/short_runs.cpp"
#include <hwy/foreach_target.h>
// Highway requires that these follow foreach_target.h.
#include "kernel/lines-inl.hpp"
#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace dri::kernel::HWY_NAMESPACE {

#if HWY_TARGET & (HWY_SSE4 | HWY_AVX2 | HWY_AVX3)

constexpr int64_t shortest_run_bytes = 3;

// A block of a strip has as many rows, and as many columns, as give about block_bytes.
constexpr int64_t block_bytes = 3 * line_bytes, min_rows = 4, max_rows = block_bytes / shortest_run_bytes;
constexpr int64_t max_block_bytes = std::max(block_bytes, min_rows *line_bytes);
// Columns whose last lines are kept in cache for the next strip.
constexpr int64_t kept_columns = 1024;

// Copies `bytes` bytes, at least a line and nothing beyond: the last line ends with them. Fetches the bytes that
// follow in the source, which are needed next.
HWY_INLINE void copy_lines(const std::byte *from, std::byte *to, int64_t bytes) {
    for (int64_t b = 0; b + line_bytes < bytes; b += line_bytes) {
        __builtin_prefetch(from + bytes + b, 0, 2);
        std::memcpy(to + b, from + b, line_bytes);
    }
    __builtin_prefetch(from + 2 * bytes - line_bytes, 0, 2);
    std::memcpy(to + bytes - line_bytes, from + bytes - line_bytes, line_bytes);
}

// Writes whole lines of a column and keeps the rest. `lines` holds `filled` bytes, the first of which belongs at
// `line`, the start of a cache line. The first `before` bytes are from the strip before. In the first strip they
// are not part of the column and are not written.
HWY_INLINE void land(const std::byte *lines, int64_t filled, int64_t before, bool first, std::byte *line,
                     Line *kept) {
    int64_t at = 0;
    if (first && before > 0) {
        std::memcpy(line + before, lines + before, static_cast<size_t>(line_bytes - before));
        at = line_bytes;
    }
    for (; at + line_bytes <= filled; at += line_bytes)
        stream_line(lines + at, line + at);
    if (at < filled)
        std::memcpy(kept->bytes, lines + at, line_bytes);
}

// Streams one plane of runs. width: the smallest power of two that is not less than the run's length.
template <size_t width> class ShortRuns {
public:
    ShortRuns(const plan::Loop &across, const plan::Loop &down, int64_t run, const std::byte *src, std::byte *dst)
        : across_(across), down_(down), run_(run), src_(src), dst_(dst) {}

    void stream() const {
        ShortRuns s = *this; // keeps members in registers: stores through byte pointers could change them
        const int64_t n = std::max(block_bytes / s.run_, min_rows), stride = s.across_.src_stride;
        if (stride > 0 && stride < 2 * s.run_)
            return s.stream_columns<true>(n);
        s.stream_columns<false>(n);
    }

private:
    // Walks blocks of n rows and n columns. near: source columns lie close together, and rows are copied to the
    // cache first.
    template <bool near> HWY_INLINE void stream_columns(int64_t n) {
        Line kept[kept_columns];
        for (int64_t left = 0; left < across_.count; left += kept_columns) {
            const int64_t right = std::min(left + kept_columns, across_.count);
            for (int64_t row = 0; row < down_.count; row += n)
                for (int64_t c = left; c < right; c += n)
                    stream_block<near>(row, std::min(n, down_.count - row), c, std::min(n, right - c),
                                       kept + (c - left));
            for (int64_t c = left; c < right; ++c) {
                std::byte *end = address(down_.count, c);
                const int64_t rest = bytes_past_line(end);
                std::memcpy(end - rest, kept[c - left].bytes, static_cast<size_t>(rest));
            }
        }
    }

    template <bool near>
    HWY_INLINE void stream_block(int64_t row, int64_t rows, int64_t first, int64_t columns, Line *kept) {
        // Capacity for the kept line, and for what the last run's move writes beyond the run.
        constexpr int64_t column_bytes = max_block_bytes + 2 * line_bytes;
        alignas(line_bytes) std::byte lines[max_rows * column_bytes];
        const std::byte *from = src_ + row * down_.src_stride + first * across_.src_stride;
        int64_t pitch = down_.src_stride;
        // Rows whose distance is a power of two compete for the same lines of the cache. Without this copy they
        // would be evicted between columns.
        alignas(line_bytes) std::byte near_rows[near ? max_rows * (2 * max_block_bytes + 2 * line_bytes) : 1];
        if constexpr (near) {
            const int64_t bytes = (columns - 1) * across_.src_stride + run_;
            pitch = (bytes + line_bytes) / line_bytes * line_bytes;
            for (int64_t r = 0; r < rows; ++r)
                if (bytes >= line_bytes)
                    copy_lines(from + r * down_.src_stride, near_rows + r * pitch, bytes);
                else
                    std::memcpy(near_rows + r * pitch, from + r * down_.src_stride, static_cast<size_t>(bytes));
            from = near_rows;
        }
        for (int64_t c = 0; c < columns; ++c) {
            std::byte *put = lines + c * column_bytes;
            if (const int64_t before = bytes_past_line(address(row, first + c))) {
                std::memcpy(put, kept[c].bytes, line_bytes);
                put += before;
            }
            const std::byte *get = from + c * across_.src_stride;
#pragma GCC unroll 4
            for (int64_t r = 0; r < rows; ++r, get += pitch, put += run_)
                move<near>(get, put);
        }
        for (int64_t c = 0; c < columns; ++c) {
            std::byte *to = address(row, first + c);
            const int64_t before = bytes_past_line(to);
            land(lines + c * column_bytes, before + rows * run_, before, row == 0, to - before, kept + c);
        }
    }

    // near: a move may read more than the run, and what it writes beyond the run is overwritten by the next run.
    // Otherwise a run is two moves that overlap.
    template <bool near> HWY_INLINE void move(const std::byte *from, std::byte *to) const {
        if constexpr (near) {
            std::memcpy(to, from, width);
        } else {
            std::memcpy(to, from, width / 2);
            std::memcpy(to + run_ - width / 2, from + run_ - width / 2, width / 2);
        }
    }

    HWY_INLINE std::byte *address(int64_t row, int64_t column) const {
        return dst_ + column * across_.dst_stride + row * run_;
    }

    plan::Loop across_, down_;
    int64_t run_;
    const std::byte *src_;
    std::byte *dst_;
};

template <size_t width> void stream_planes(const plan::StridedCopy &copy, const std::byte *src, std::byte *dst) {
    const plan::Loop &down = copy.loops.back(), &across = copy.loops[copy.loops.size() - 2];
    for_each_outer(copy, 2, src, dst, [&](const std::byte *s, std::byte *d) {
        ShortRuns<width>(across, down, copy.run_bytes, s, d).stream();
    });
}

void copy_short_runs(const plan::StridedCopy &copy, const std::byte *src, std::byte *dst, Stores stores) {
    if (stores != Stores::streaming)
        return copy_elements(copy, src, dst, stores);
    if (copy.run_bytes > 32)
        stream_planes<64>(copy, src, dst);
    else if (copy.run_bytes > 16)
        stream_planes<32>(copy, src, dst);
    else if (copy.run_bytes > 8)
        stream_planes<16>(copy, src, dst);
    else if (copy.run_bytes > 4)
        stream_planes<8>(copy, src, dst);
    else
        stream_planes<4>(copy, src, dst);
    hwy::FlushStream();
}

#endif

} // namespace dri::kernel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dri::kernel {

namespace {

// Minimum length of a column. Shorter ones would mostly be incomplete lines.
constexpr int64_t shortest_column_bytes = 8 * cache_line_bytes;

template <int64_t shortest_run_bytes> bool fits_short_runs(const plan::StridedCopy &copy) {
    if (!fits_elements(copy) || copy.run_bytes < shortest_run_bytes || copy.run_bytes >= cache_line_bytes)
        return false;
    if (copy.loops.size() < 2)
        return false;
    const plan::StridedCopy arranged = arrange_elements(copy);
    const plan::Loop &down = arranged.loops.back(), &across = arranged.loops[arranged.loops.size() - 2];
    return down.dst_stride == copy.run_bytes && down.count * copy.run_bytes >= shortest_column_bytes &&
           std::abs(down.src_stride) > std::abs(across.src_stride);
}

} // namespace

#define DRI_VERSION(isa, set) {Isa::isa, fits_short_runs<set::shortest_run_bytes>, set::copy_short_runs},
constexpr Version short_runs_versions[] = {DRI_FOR_VECTOR_SETS(DRI_VERSION){}};
#undef DRI_VERSION

const Family short_runs_kernel{"short runs", arrange_elements, short_runs_versions};

} // namespace dri::kernel
#endif
