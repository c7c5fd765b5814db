// The corner turn of elements of 1, 2, 4, 8 or 16 bytes. A plane of the copy has two loops: `down` is contiguous
// in the destination, `across` is contiguous in the source. Beyond the cache tiles go in strips of one or two
// whole destination cache lines, along the rows of the source: that way each line is written whole and once, and
// few source rows are read side by side.
#include "kernel/odometer.hpp"
#include "kernel/table.hpp"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/transpose.cpp"
#include <hwy/foreach_target.h>
// Highway wants these after foreach_target.h.
#include "kernel/transpose_tile-inl.hpp"
#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace dri::HWY_NAMESPACE {

#if HWY_TARGET & (HWY_SSE4 | HWY_AVX2 | HWY_AVX3)

int64_t bytes_past_line(const std::byte *p) {
    return static_cast<int64_t>(reinterpret_cast<uintptr_t>(p) % static_cast<uintptr_t>(line_bytes));
}

// `rows` rows of the source, all the way along them.
template <int64_t element, int64_t rows, Stores stores>
void transpose_strip(const Loop &across, const Loop &down, int64_t first, const std::byte *src, std::byte *dst) {
    using T = Tile<element>;
    const int64_t src_pitch = down.src_stride, dst_pitch = across.dst_stride;
    src += first * src_pitch;
    dst += first * element;
    int64_t c = 0;
    for (; c + T::step <= across.count; c += T::step)
        transpose_step<element, rows, T::step, stores>(src + c * element, src_pitch, dst + c * dst_pitch,
                                                       dst_pitch);
    // The last tile ends with the row: bytes that were written already are written again with the same value.
    for (; c < across.count; c += T::columns) {
        const int64_t at = std::min(c, across.count - T::columns);
        transpose_step<element, rows, T::columns, stores>(src + at * element, src_pitch, dst + at * dst_pitch,
                                                          dst_pitch);
    }
}

// The rows from `first` on, that are fewer than a strip.
template <int64_t element>
void transpose_rest(const Loop &across, const Loop &down, int64_t first, const std::byte *src, std::byte *dst) {
    constexpr int64_t rows = Tile<element>::rows;
    for (int64_t r = first; r < down.count; r += rows)
        transpose_strip<element, rows, Stores::cached>(across, down, std::min(r, down.count - rows), src, dst);
}

template <int64_t lines> HWY_INLINE void fetch_lines(const std::byte *first, int64_t pitch, int writes) {
    for (int64_t i = 0; i < lines; ++i)
        writes ? __builtin_prefetch(first + i * pitch, 1) : __builtin_prefetch(first + i * pitch, 0);
}

// `columns` columns of the source, all the way down. In cache this order is the faster one: lines of the
// destination follow each other, so the next ones can be fetched in time, and those of the source, if they come
// from afar.
template <int64_t element, int64_t columns, Stores stores>
void transpose_columns(const Loop &across, const Loop &down, int64_t first, const std::byte *src, std::byte *dst) {
    using T = Tile<element>;
    constexpr int64_t ahead = stores == Stores::fetched ? 3 : 1; // steps
    const int64_t src_pitch = down.src_stride, dst_pitch = across.dst_stride;
    src += first * element;
    dst += first * dst_pitch;
    int64_t r = 0;
    for (; r + T::line_rows <= down.count; r += T::line_rows) {
        if (r + (1 + ahead) * T::line_rows <= down.count) {
            fetch_lines<columns>(dst + (r + ahead * T::line_rows) * element, dst_pitch, 1);
            if constexpr (stores == Stores::fetched)
                fetch_lines<T::line_rows>(src + (r + ahead * T::line_rows) * src_pitch, src_pitch, 0);
        }
        transpose_step<element, T::line_rows, columns, Stores::cached>(src + r * src_pitch, src_pitch,
                                                                       dst + r * element, dst_pitch);
    }
    for (; r < down.count; r += T::rows) {
        const int64_t at = std::min(r, down.count - T::rows);
        transpose_step<element, T::rows, columns, Stores::cached>(src + at * src_pitch, src_pitch,
                                                                  dst + at * element, dst_pitch);
    }
}

template <int64_t element, Stores stores>
void transpose_cached(const Loop &across, const Loop &down, const std::byte *src, std::byte *dst) {
    using T = Tile<element>;
    int64_t c = 0;
    for (; c + T::step <= across.count; c += T::step)
        transpose_columns<element, T::step, stores>(across, down, c, src, dst);
    // The last columns end with the plane, as the last rows do: some are written again with the same value.
    for (; c < across.count; c += T::columns)
        transpose_columns<element, T::columns, stores>(across, down, std::min(c, across.count - T::columns), src,
                                                       dst);
}

// Streams a plane whose columns all lie alike relative to cache lines, at a whole element.
template <int64_t element>
void stream_aligned(const Loop &across, const Loop &down, const std::byte *src, std::byte *dst) {
    using T = Tile<element>;
    const int64_t head = (line_bytes - bytes_past_line(dst)) % line_bytes / element;
    for (int64_t r = 0; r < head; r += T::rows)
        transpose_strip<element, T::rows, Stores::cached>(across, down, r, src, dst);
    int64_t r = head;
    for (; r + T::strip_rows <= down.count; r += T::strip_rows)
        transpose_strip<element, T::strip_rows, Stores::streaming>(across, down, r, src, dst);
    for (; r + T::line_rows <= down.count; r += T::line_rows)
        transpose_strip<element, T::line_rows, Stores::streaming>(across, down, r, src, dst);
    transpose_rest<element>(across, down, r, src, dst);
}

// Columns that are streamed together where lines begin at another row in each: the last line of each is kept.
constexpr int64_t kept_columns = 1024;

struct alignas(line_bytes) Line {
    std::byte bytes[line_bytes];
};

template <int64_t element> HWY_INLINE void copy_line(const std::byte *from, std::byte *to) {
    const typename Tile<element>::Tag d;
    for (int64_t b = 0; b < line_bytes; b += vector_bytes)
        store<element, Stores::cached>(load(d, from + b), to + b);
}

// Streams the lines of a column that begins anywhere in a line. `buffer` has the line that the strip before ended
// with, and behind it the strip's lines; whole lines are picked from there, at the column's own shift.
template <int64_t element, int64_t lines>
HWY_INLINE void stream_from_memory(const std::byte *buffer, std::byte *dst, bool first, Line &kept) {
    const typename Tile<element>::Tag d;
    const int64_t shift = bytes_past_line(dst);
    const std::byte *from = buffer + line_bytes - shift;
    std::byte *to = dst - shift;
    int64_t b = 0;
    if (first) {
        std::memcpy(dst, buffer + line_bytes, static_cast<size_t>(line_bytes - shift));
        b = line_bytes;
    }
    for (; b < lines * line_bytes; b += vector_bytes)
        store<element, Stores::streaming>(load(d, from + b), to + b);
    copy_line<element>(buffer + lines * line_bytes, kept.bytes);
}

// The same where a vector is a line and columns begin at whole lanes: lines are turned in registers, and kept
// turned. Memory that was written a moment ago would stall loads that lie otherwise than the stores did.
template <int64_t element, int64_t lines>
HWY_INLINE void stream_from_registers(const std::byte *buffer, std::byte *dst, bool first, Line &kept) {
    using Lane = uint32_t;
    constexpr Lane all = vector_bytes / sizeof(Lane);
    const hn::ScalableTag<Lane> d;
    const auto shift = static_cast<Lane>(static_cast<size_t>(bytes_past_line(dst)) / sizeof(Lane));
    const auto turn = hn::IndicesFromVec(d, hn::And(hn::Iota(d, all - shift), hn::Set(d, all - 1)));
    const auto from_kept = hn::FirstN(d, shift);
    auto *to = reinterpret_cast<Lane *>(dst) - shift;
    auto before = load(d, kept.bytes);
    for (int64_t l = 0; l < lines; ++l, to += all) {
        const auto turned = hn::TableLookupLanes(load(d, buffer + (1 + l) * line_bytes), turn);
        if (first && l == 0)
            hn::BlendedStore(turned, hn::Not(from_kept), d, to);
        else
            hn::Stream(hn::IfThenElse(from_kept, before, turned), d, to);
        before = turned;
    }
    hn::StoreU(before, d, reinterpret_cast<Lane *>(kept.bytes));
}

template <int64_t element, bool registers>
HWY_INLINE void stream_step(const std::byte *src, int64_t src_pitch, std::byte *dst, int64_t dst_pitch, bool first,
                            Line *kept) {
    using T = Tile<element>;
    constexpr int64_t lines = T::strip_rows / T::line_rows;
    Line buffer[T::step][1 + lines];
    if constexpr (!registers)
        for (int64_t c = 0; c < T::step; ++c)
            copy_line<element>(kept[c].bytes, buffer[c][0].bytes);
    transpose_step<element, T::strip_rows, T::step, Stores::cached>(src, src_pitch, buffer[0][1].bytes,
                                                                    (1 + lines) * line_bytes);
    for (int64_t c = 0; c < T::step; ++c, dst += dst_pitch) {
        if constexpr (registers)
            stream_from_registers<element, lines>(buffer[c][0].bytes, dst, first, kept[c]);
        else
            stream_from_memory<element, lines>(buffer[c][0].bytes, dst, first, kept[c]);
    }
}

// Streams any plane of at least a strip and a step.
template <int64_t element, bool registers>
void stream_shifted(const Loop &across, const Loop &down, const std::byte *src, std::byte *dst) {
    using T = Tile<element>;
    const int64_t rows = down.count / T::strip_rows * T::strip_rows;
    Line kept[kept_columns];
    for (int64_t left = 0; left < across.count; left += kept_columns) {
        const int64_t steps = (std::min(kept_columns, across.count - left) + T::step - 1) / T::step;
        // The last step ends with the plane, and writes some columns for a second time.
        const auto column = [&](int64_t step) { return std::min(left + step * T::step, across.count - T::step); };
        for (int64_t r = 0; r < rows; r += T::strip_rows)
            for (int64_t i = 0; i < steps; ++i)
                stream_step<element, registers>(src + r * down.src_stride + column(i) * element, down.src_stride,
                                                dst + r * element + column(i) * across.dst_stride,
                                                across.dst_stride, r == 0, kept + i * T::step);
        for (int64_t i = 0; i < steps * T::step; ++i) {
            std::byte *end = dst + rows * element + (column(i / T::step) + i % T::step) * across.dst_stride;
            const auto shift = static_cast<size_t>(bytes_past_line(end));
            const size_t from = registers ? 0 : static_cast<size_t>(line_bytes) - shift;
            std::memcpy(end - shift, kept[i].bytes + from, shift);
        }
    }
    transpose_rest<element>(across, down, rows, src, dst);
}

template <int64_t element>
void transpose_plane(const Loop &across, const Loop &down, const std::byte *src, std::byte *dst, Stores stores) {
    using T = Tile<element>;
    const bool alike = across.dst_stride % line_bytes == 0 && bytes_past_line(dst) % element == 0;
    const bool large = down.count >= 2 * T::strip_rows && across.count >= T::step;
    if (stores == Stores::fetched)
        return transpose_cached<element, Stores::fetched>(across, down, src, dst);
    if (stores == Stores::cached || !large)
        return transpose_cached<element, Stores::cached>(across, down, src, dst);
    if constexpr (T::can_stream)
        if (alike)
            return stream_aligned<element>(across, down, src, dst);
    const bool whole_lanes = bytes_past_line(dst) % 4 == 0 && across.dst_stride % 4 == 0;
    if constexpr (vector_bytes == line_bytes)
        if (whole_lanes)
            return stream_shifted<element, true>(across, down, src, dst);
    stream_shifted<element, false>(across, down, src, dst);
}

template <int64_t element>
void transpose_planes(const StridedCopy &copy, const std::byte *src, std::byte *dst, Stores stores) {
    const Loop down = copy.loops.back();
    const Loop across = copy.loops[copy.loops.size() - 2];
    for_each_outer(copy, 2, src, dst, [&](const std::byte *s, std::byte *d) {
        transpose_plane<element>(across, down, s, d, stores);
    });
}

bool fits_transpose(const StridedCopy &copy) {
    const int64_t element = copy.run_bytes;
    if (copy.conversion || element < 1 || element > block_bytes || (element & (element - 1)) != 0 ||
        copy.loops.size() < 2)
        return false;
    const StridedCopy arranged = arrange_transpose(copy);
    const Loop &down = arranged.loops.back();
    const Loop &across = arranged.loops[arranged.loops.size() - 2];
    const int64_t rows = vector_bytes / element;
    const int64_t columns = element >= 4 ? rows : block_bytes / element;
    return down.dst_stride == element && across.src_stride == element && down.count >= rows &&
           across.count >= columns;
}

void copy_transpose(const StridedCopy &copy, const std::byte *src, std::byte *dst, Stores stores) {
    switch (copy.run_bytes) {
    case 1: transpose_planes<1>(copy, src, dst, stores); break;
    case 2: transpose_planes<2>(copy, src, dst, stores); break;
    case 4: transpose_planes<4>(copy, src, dst, stores); break;
    case 8: transpose_planes<8>(copy, src, dst, stores); break;
    default: transpose_planes<16>(copy, src, dst, stores); break;
    }
    if (stores == Stores::streaming)
        hwy::FlushStream();
}

#endif

} // namespace dri::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dri {

StridedCopy arrange_transpose(const StridedCopy &copy) {
    StridedCopy arranged = copy;
    Loops &loops = arranged.loops;
    for (Loop *l = loops.begin(); l + 1 < loops.end(); ++l) {
        if (l->src_stride != copy.run_bytes)
            continue;
        std::rotate(l, l + 1, loops.end() - 1);
        break;
    }
    return arranged;
}

} // namespace dri
#endif
