// Copies complex numbers between pairs (interleaved) and planes (split). Without a corner turn, lines are split or
// joined in registers. With a corner turn, pairs are transposed in strips as one element each: rows of planes are
// joined before, columns of pairs are split after.
#include "kernel/planes.hpp"
#include "kernel/odometer.hpp"
#include "kernel/table.hpp"
#include "kernel/vector_sets.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/planes.cpp"
#include <hwy/foreach_target.h>
// Highway requires that these follow foreach_target.h.
#include "kernel/turn_strips-inl.hpp"
#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace dri::kernel::HWY_NAMESPACE {

#if HWY_TARGET & (HWY_SSE4 | HWY_AVX2 | HWY_AVX3)

namespace hn = hwy::HWY_NAMESPACE;

template <class T> using ComponentTag = hn::ScalableTag<T>;
template <class T> constexpr int64_t lanes = vector_bytes / static_cast<int64_t>(sizeof(T));

// Number of components before the first whole vector of a destination. Nothing if no component starts at a vector.
template <class T> std::optional<int64_t> head_of(const std::byte *dst) {
    const auto past =
        static_cast<int64_t>(reinterpret_cast<uintptr_t>(dst) % static_cast<uintptr_t>(vector_bytes));
    if (past % static_cast<int64_t>(sizeof(T)) != 0)
        return std::nullopt;
    return (vector_bytes - past) % vector_bytes / static_cast<int64_t>(sizeof(T));
}

template <class T> HWY_INLINE void split_vectors(const T *pairs, T *re, T *im, int64_t at) {
    const ComponentTag<T> d;
    hn::Vec<ComponentTag<T>> a, b;
    hn::LoadInterleaved2(d, pairs + 2 * at, a, b);
    hn::StoreU(a, d, re + at);
    hn::StoreU(b, d, im + at);
}

template <class T> HWY_INLINE void join_vectors(const T *re, const T *im, T *pairs, int64_t at) {
    const ComponentTag<T> d;
    hn::StoreInterleaved2(hn::LoadU(d, re + at), hn::LoadU(d, im + at), d, pairs + 2 * at);
}

// Splits n pairs, n >= lanes. The last vector ends with the line: some components are written twice, with the same
// value.
template <class T> void split_line(const std::byte *src, std::byte *dst, int64_t plane, int64_t n, Stores stores) {
    const ComponentTag<T> d;
    const auto *pairs = reinterpret_cast<const T *>(src);
    auto *re = reinterpret_cast<T *>(dst), *im = reinterpret_cast<T *>(dst + plane);
    int64_t i = 0;
    const auto head = head_of<T>(dst);
    if (stores == Stores::streaming && head && plane % vector_bytes == 0) {
        split_vectors(pairs, re, im, 0);
        for (i = *head; i + lanes<T> <= n; i += lanes<T>) {
            hn::Vec<ComponentTag<T>> a, b;
            hn::LoadInterleaved2(d, pairs + 2 * i, a, b);
            hn::Stream(a, d, re + i);
            hn::Stream(b, d, im + i);
        }
    }
    for (; i + lanes<T> <= n; i += lanes<T>)
        split_vectors(pairs, re, im, i);
    if (i < n)
        split_vectors(pairs, re, im, n - lanes<T>);
}

// Joins n pairs, n >= lanes, in the same way.
template <class T> void join_line(const std::byte *src, int64_t plane, std::byte *dst, int64_t n, Stores stores) {
    const ComponentTag<T> d;
    const auto *re = reinterpret_cast<const T *>(src), *im = reinterpret_cast<const T *>(src + plane);
    auto *pairs = reinterpret_cast<T *>(dst);
    int64_t i = 0;
    const auto head = head_of<T>(dst);
    if (stores == Stores::streaming && head && *head % 2 == 0) {
        alignas(line_bytes) std::array<T, 2 * lanes<T>> both;
        join_vectors(re, im, pairs, 0);
        for (i = *head / 2; i + lanes<T> <= n; i += lanes<T>) {
            hn::StoreInterleaved2(hn::LoadU(d, re + i), hn::LoadU(d, im + i), d, both.data());
            hn::Stream(hn::Load(d, both.data()), d, pairs + 2 * i);
            hn::Stream(hn::Load(d, both.data() + lanes<T>), d, pairs + 2 * i + lanes<T>);
        }
    }
    for (; i + lanes<T> <= n; i += lanes<T>)
        join_vectors(re, im, pairs, i);
    if (i < n)
        join_vectors(re, im, pairs, n - lanes<T>);
}

template <class T> constexpr int64_t pair_bytes = 2 * static_cast<int64_t>(sizeof(T));
// Rows of a strip: as many pairs as fill a cache line of both planes.
template <class T> constexpr int64_t strip_rows = 2 * Tile<pair_bytes<T>>::line_rows;

// Splits the pairs of a column into a line for each plane.
template <class T> struct SplitColumns {
    static constexpr bool plain = false;
    static constexpr int outputs = 2;
    static constexpr int64_t row_bytes = sizeof(T);
    int64_t plane;
    Line both[4] = {}; // each output follows a line that may be overwritten
    int64_t output_offset(int output) const { return output * plane; }
    HWY_INLINE std::byte *lines(Line *, int output) { return both[2 * output + 1].bytes; }
    HWY_INLINE void work(const Line *raw) {
        const auto *pairs = reinterpret_cast<const T *>(raw[0].bytes);
        auto *re = reinterpret_cast<T *>(both[1].bytes), *im = reinterpret_cast<T *>(both[3].bytes);
        for (int64_t i = 0; i < line_bytes / static_cast<int64_t>(sizeof(T)); i += lanes<T>)
            split_vectors(pairs, re, im, i);
    }
};

// Rows of a source that is split: the two planes are joined before the transposition.
template <class T> struct JoinedRows {
    static constexpr int64_t steps = 2; // whole lines of both planes
    const std::byte *src;
    int64_t pitch, plane;
    template <int64_t pair, int64_t rows, int64_t columns, Stores stores>
    HWY_INLINE void transpose(int64_t row, int64_t column, std::byte *to, int64_t to_pitch) const {
        constexpr int64_t width = columns * pair;
        alignas(line_bytes) std::byte joined[rows * width];
        const std::byte *s = src + row * pitch + column * static_cast<int64_t>(sizeof(T));
        for (int64_t r = 0; r < rows; ++r, s += pitch) {
            const auto *re = reinterpret_cast<const T *>(s), *im = reinterpret_cast<const T *>(s + plane);
            auto *pairs = reinterpret_cast<T *>(joined + r * width);
            for (int64_t i = 0; i < columns; i += lanes<T>)
                join_vectors(re, im, pairs, i);
        }
        transpose_step<pair, rows, columns, stores>(joined, width, to, to_pitch);
    }
    template <int64_t> HWY_INLINE void fetch(int64_t row, int64_t column) const {
        const std::byte *s = src + row * pitch + column * static_cast<int64_t>(sizeof(T));
        __builtin_prefetch(s, 0, 2);
        __builtin_prefetch(s + plane, 0, 2);
    }
};

template <class T> void turn_plane(const PlaneLoops &p, const std::byte *src, std::byte *dst, Stores stores) {
    constexpr int64_t pair = pair_bytes<T>;
    if (p.splits)
        turn_strips<pair, strip_rows<T>>(p.pairs, p.plane.count, PlainRows{src, p.plane.src_stride},
                                         SplitColumns<T>{p.part.dst_stride}, dst, stores);
    else
        turn_strips<pair, strip_rows<T>>(p.plane, p.pairs.count,
                                         JoinedRows<T>{src, p.pairs.src_stride, p.part.src_stride},
                                         PlainColumns<pair>{}, dst, stores);
}

// What a plane must have for at least one strip, by the type of a component.
template <class T> struct PlaneStrip {
    static constexpr int64_t rows = strip_rows<T>, pairs = Tile<pair_bytes<T>>::step;
    static constexpr int64_t components = JoinedRows<T>::steps * pairs; // if planes are joined
};

template <class T>
void copy_lines(const plan::StridedCopy &copy, const PlaneLoops &p, const std::byte *src, std::byte *dst,
                Stores stores) {
    for_each_outer(copy, inner_loops(p), src, dst, [&](const std::byte *s, std::byte *d) {
        if (p.splits)
            split_line<T>(s, d, p.part.dst_stride, p.pairs.count, stores);
        else
            join_line<T>(s, p.part.src_stride, d, p.pairs.count, stores);
    });
}

template <class T>
void turn_planes(const plan::StridedCopy &copy, const PlaneLoops &p, const std::byte *src, std::byte *dst,
                 Stores stores) {
    for_each_outer(copy, inner_loops(p), src, dst,
                   [&](const std::byte *s, std::byte *d) { turn_plane<T>(p, s, d, stores); });
}

void copy_planes(const plan::StridedCopy &copy, const std::byte *src, std::byte *dst, Stores stores) {
    const PlaneLoops p = arranged_planes(copy);
    with_component(copy, [&]<class T>(T) {
        p.turns ? turn_planes<T>(copy, p, src, dst, stores) : copy_lines<T>(copy, p, src, dst, stores);
    });
    if (stores == Stores::streaming)
        hwy::FlushStream();
}

#endif

} // namespace dri::kernel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dri::kernel {

namespace {

// The pairs lie by `paired`, the planes by `planar`.
std::optional<PlaneLoops> find_planes_by(const plan::StridedCopy &copy, int64_t plan::Loop::*paired,
                                         int64_t plan::Loop::*planar) {
    const int64_t run = copy.run_bytes;
    const plan::Loop *part = nullptr, *pairs = nullptr, *plane = nullptr;
    for (const plan::Loop &l : copy.loops) {
        if (!part && l.count == 2 && l.*paired == run)
            part = &l;
        else if (!pairs && l.*paired == 2 * run)
            pairs = &l;
        if (&l != part && !plane && l.*planar == run)
            plane = &l;
    }
    if (!part || !pairs || !plane)
        return std::nullopt;
    if (pairs->*planar == run)
        plane = pairs;
    return PlaneLoops{paired == &plan::Loop::src_stride, *part, *pairs, *plane, pairs != plane};
}

} // namespace

std::optional<PlaneLoops> find_planes(const plan::StridedCopy &copy) {
    const int64_t run = copy.run_bytes;
    if (copy.conversion || copy.loops.size() < 2 || (run != 1 && run != 2 && run != 4 && run != 8))
        return std::nullopt;
    const auto splits = find_planes_by(copy, &plan::Loop::src_stride, &plan::Loop::dst_stride);
    return splits ? splits : find_planes_by(copy, &plan::Loop::dst_stride, &plan::Loop::src_stride);
}

plan::StridedCopy arrange_planes(const plan::StridedCopy &copy) {
    const auto p = find_planes(copy);
    if (!p)
        return copy;
    plan::StridedCopy arranged = copy;
    plan::Loops &loops = arranged.loops;
    const auto to_the_end = [&](const plan::Loop &loop) {
        const auto at = std::find(loops.begin(), loops.end(), loop);
        std::rotate(at, at + 1, loops.end());
    };
    if (p->turns)
        to_the_end(p->plane);
    to_the_end(p->pairs);
    to_the_end(p->part);
    return arranged;
}

namespace {

// PlaneStrip, vector_bytes: those of an instruction set.
template <template <class T> class PlaneStrip, int64_t vector_bytes>
bool fits_planes(const plan::StridedCopy &copy) {
    const auto p = find_planes(copy);
    if (!p)
        return false;
    if (!p->turns)
        return p->plane.count * copy.run_bytes >= vector_bytes;
    return with_component(copy, [&]<class T>(T) {
        return p->splits ? p->plane.count >= PlaneStrip<T>::rows && p->pairs.count >= PlaneStrip<T>::pairs
                         : p->pairs.count >= PlaneStrip<T>::rows && p->plane.count >= PlaneStrip<T>::components;
    });
}

} // namespace

#define DRI_VERSION(isa, set) {Isa::isa, fits_planes<set::PlaneStrip, set::vector_bytes>, set::copy_planes},
constexpr Version planes_versions[] = {DRI_FOR_VECTOR_SETS(DRI_VERSION){}};
#undef DRI_VERSION

const Family planes_kernel{"planes", arrange_planes, planes_versions};

} // namespace dri::kernel
#endif
