// The corner turn of elements of 1, 2, 4, 8 or 16 bytes. A plane of the copy has two loops: `down` is contiguous
// in the destination, `across` is contiguous in the source. Beyond the cache, tiles are processed in strips of one
// or two whole cache lines of the destination, along the rows of the source. Each line is then written whole and
// once, and few source rows are read side by side.
#include "kernel/odometer.hpp"
#include "kernel/table.hpp"
#include "kernel/vector_sets.hpp"
#include "plan/strided_copy.hpp"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/transpose.cpp"
#include <hwy/foreach_target.h>
// Highway requires that these follow foreach_target.h.
#include "kernel/turn_strips-inl.hpp"
#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace dri::kernel::HWY_NAMESPACE {

#if HWY_TARGET & (HWY_SSE4 | HWY_AVX2 | HWY_AVX3)

// Fetches a line of each of `rows` rows into the second cache.
template <int64_t rows> HWY_INLINE void fetch_lines(const std::byte *first, int64_t pitch) {
    for (int64_t i = 0; i < rows; ++i)
        __builtin_prefetch(first + i * pitch, 0, 2);
}

// Transposes `rows` rows of the source over their whole length. next_plane: a plane of the same shape that follows
// this one, or null.
template <int64_t element, int64_t rows, Stores stores>
void transpose_strip(const plan::Loop &across, const plan::Loop &down, int64_t first, const std::byte *src,
                     std::byte *dst, const std::byte *next_plane = nullptr) {
    using T = Tile<element>;
    const int64_t src_pitch = down.src_stride, dst_pitch = across.dst_stride;
    const std::byte *const plane = src;
    src += first * src_pitch;
    dst += first * element;
    int64_t c = 0;
    for (; c + T::step <= across.count; c += T::step) {
        if constexpr (stores == Stores::streaming) {
            const auto next = Ahead<element>::of(first, rows, c, across.count);
            const bool is_here = next.row + rows <= down.count;
            const std::byte *const from = is_here ? plane : next_plane;
            const int64_t row = is_here ? next.row : next.row - down.count;
            if (from && row + rows <= down.count)
                fetch_lines<rows>(from + row * src_pitch + next.column * element, src_pitch);
        }
        transpose_step<element, rows, T::step, stores>(src + c * element, src_pitch, dst + c * dst_pitch,
                                                       dst_pitch);
    }
    // The last tile ends with the row. It writes some bytes a second time, with the same value.
    for (; c < across.count; c += T::columns) {
        const int64_t at = std::min(c, across.count - T::columns);
        transpose_step<element, rows, T::columns, stores>(src + at * element, src_pitch, dst + at * dst_pitch,
                                                          dst_pitch);
    }
}

// Transposes the rows starting at `first`, which are fewer than a strip.
template <int64_t element>
void transpose_rest(const plan::Loop &across, const plan::Loop &down, int64_t first, const std::byte *src,
                    std::byte *dst) {
    constexpr int64_t rows = Tile<element>::rows;
    for (int64_t r = first; r < down.count; r += rows)
        transpose_strip<element, rows, Stores::cached>(across, down, std::min(r, down.count - rows), src, dst);
}

// Transposes `columns` columns of the source over their whole length. In cache this order is the faster one,
// because lines of the destination follow each other. With Stores::fetched, source lines are fetched in time.
template <int64_t element, int64_t columns, Stores stores>
void transpose_columns(const plan::Loop &across, const plan::Loop &down, int64_t first, const std::byte *src,
                       std::byte *dst) {
    using T = Tile<element>;
    constexpr int64_t strip = (element >= 8 ? 2 : 1) * T::line_rows, ahead = 2 * strip;
    const int64_t src_pitch = down.src_stride, dst_pitch = across.dst_stride;
    src += first * element;
    dst += first * dst_pitch;
    int64_t r = 0;
    for (; r + strip <= down.count; r += strip) {
        if constexpr (stores == Stores::fetched)
            if (r + ahead + strip <= down.count)
                for (int64_t b = 0; b < columns * element; b += line_bytes)
                    fetch_lines<strip>(src + (r + ahead) * src_pitch + b, src_pitch);
        transpose_step<element, strip, columns, Stores::cached>(src + r * src_pitch, src_pitch, dst + r * element,
                                                                dst_pitch);
    }
    for (; r < down.count; r += T::rows) {
        const int64_t at = std::min(r, down.count - T::rows);
        transpose_step<element, T::rows, columns, Stores::cached>(src + at * src_pitch, src_pitch,
                                                                  dst + at * element, dst_pitch);
    }
}

template <int64_t element, Stores stores>
void transpose_cached(const plan::Loop &across, const plan::Loop &down, const std::byte *src, std::byte *dst) {
    using T = Tile<element>;
    int64_t c = 0;
    // Takes two lines of each source row, if this does not need too many lines of the destination.
    if constexpr (element >= 8)
        for (; c + 2 * T::step <= across.count; c += 2 * T::step)
            transpose_columns<element, 2 * T::step, stores>(across, down, c, src, dst);
    for (; c + T::step <= across.count; c += T::step)
        transpose_columns<element, T::step, stores>(across, down, c, src, dst);
    // The last columns end with the plane, as the last rows do. Some elements are written a second time, with the
    // same value.
    for (; c < across.count; c += T::columns)
        transpose_columns<element, T::columns, stores>(across, down, std::min(c, across.count - T::columns), src,
                                                       dst);
}

// Streams columns that all have the same offset in a cache line, which is a multiple of the element's size.
template <int64_t element>
void stream_columns(const plan::Loop &across, const plan::Loop &down, const std::byte *src, std::byte *dst,
                    const std::byte *next_plane) {
    using T = Tile<element>;
    const int64_t head = (line_bytes - bytes_past_line(dst)) % line_bytes / element;
    for (int64_t r = 0; r < head; r += T::rows)
        transpose_strip<element, T::rows, Stores::cached>(across, down, r, src, dst);
    int64_t r = head;
    for (; r + T::strip_rows <= down.count; r += T::strip_rows)
        transpose_strip<element, T::strip_rows, Stores::streaming>(across, down, r, src, dst, next_plane);
    for (; r + T::line_rows <= down.count; r += T::line_rows)
        transpose_strip<element, T::line_rows, Stores::streaming>(across, down, r, src, dst);
    transpose_rest<element>(across, down, r, src, dst);
}

template <int64_t element>
// Divides a plane into groups of columns_at_once columns and streams them.
void stream_aligned(const plan::Loop &across, const plan::Loop &down, const std::byte *src, std::byte *dst,
                    const std::byte *next_plane) {
    static_assert(columns_at_once % Tile<element>::step == 0);
    for (int64_t left = 0; left < across.count;) {
        const int64_t rest = across.count - left;
        // The remaining columns may be too few for a step of their own. They then join the last group.
        const int64_t count = rest < columns_at_once + Tile<element>::step ? rest : columns_at_once;
        const plan::Loop columns{count, across.src_stride, across.dst_stride};
        // After the last rows of these columns come further columns of the plane, or the first ones of the next
        // plane.
        const std::byte *const next = count < rest ? src + (left + count) * element : next_plane;
        stream_columns<element>(columns, down, src + left * element, dst + left * across.dst_stride, next);
        left += count;
    }
}

template <int64_t element>
// Chooses how a plane is transposed: through the cache; streamed directly if all columns have the same offset in a
// cache line; otherwise in strips whose columns are shifted to cache lines.
void transpose_plane(const plan::Loop &across, const plan::Loop &down, const std::byte *src, std::byte *dst,
                     const std::byte *next_plane, Stores stores) {
    using T = Tile<element>;
    const bool alike = across.dst_stride % line_bytes == 0 && bytes_past_line(dst) % element == 0;
    const bool at_line = alike && bytes_past_line(dst) == 0;
    const int64_t min_rows = at_line ? T::line_rows : 2 * (alike ? T::line_rows : T::strip_rows);
    const bool large = down.count >= min_rows && across.count >= T::step;
    if (stores == Stores::cached)
        return transpose_cached<element, Stores::cached>(across, down, src, dst);
    if (stores == Stores::fetched || !large)
        return transpose_cached<element, Stores::fetched>(across, down, src, dst);
    if constexpr (T::can_stream)
        if (alike)
            return stream_aligned<element>(across, down, src, dst, next_plane);
    turn_strips<element, T::strip_rows>(across, down.count, PlainRows{src, down.src_stride},
                                        PlainColumns<element>{}, dst, stores);
}

template <int64_t element>
void transpose_planes(const plan::StridedCopy &copy, const std::byte *src, std::byte *dst, Stores stores) {
    const plan::Loop down = copy.loops.back();
    const plan::Loop across = copy.loops[copy.loops.size() - 2];
    for_each_outer_and_next(copy, 2, src, dst, [&](const std::byte *s, std::byte *d, const std::byte *next) {
        transpose_plane<element>(across, down, s, d, next, stores);
    });
}

void copy_transpose(const plan::StridedCopy &copy, const std::byte *src, std::byte *dst, Stores stores) {
    with_element(copy.run_bytes, [&](auto constant) {
        transpose_planes<constant>(copy, src, dst, stores);
        return true;
    });
    if (stores == Stores::streaming)
        hwy::FlushStream();
}

#endif

} // namespace dri::kernel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dri::kernel {

// The first loop that is contiguous in the source becomes the second last one.
plan::StridedCopy arrange_transpose(const plan::StridedCopy &copy) {
    plan::StridedCopy arranged = copy;
    plan::Loops &loops = arranged.loops;
    for (plan::Loop *l = loops.begin(); l + 1 < loops.end(); ++l) {
        if (l->src_stride != copy.run_bytes)
            continue;
        std::rotate(l, l + 1, loops.end() - 1);
        break;
    }
    return arranged;
}

namespace {

// Tile: that of an instruction set.
template <template <int64_t element> class Tile> bool fits_transpose(const plan::StridedCopy &copy) {
    if (copy.conversion || copy.loops.size() < 2)
        return false;
    return with_element(copy.run_bytes, [&](auto constant) {
        constexpr int64_t element = constant;
        const plan::StridedCopy arranged = arrange_transpose(copy);
        const plan::Loop &down = arranged.loops.back(), &across = arranged.loops[arranged.loops.size() - 2];
        return down.dst_stride == element && across.src_stride == element && down.count >= Tile<element>::rows &&
               across.count >= Tile<element>::columns;
    });
}

} // namespace

#define DRI_VERSION(isa, set) {Isa::isa, fits_transpose<set::Tile>, set::copy_transpose},
constexpr Version transpose_versions[] = {DRI_FOR_VECTOR_SETS(DRI_VERSION){}};
#undef DRI_VERSION

const Family transpose_kernel{"transpose", arrange_transpose, transpose_versions};

} // namespace dri::kernel
#endif
