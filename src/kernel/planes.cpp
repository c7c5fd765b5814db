// Complex numbers between pairs and planes. Lines go through registers; where a corner is turned, too, pairs are
// turned as one element each between memory and a tile in cache, and lines go between the tile and the planes.
#include "kernel/planes.hpp"
#include "kernel/odometer.hpp"
#include "kernel/table.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/planes.cpp"
#include <hwy/foreach_target.h>
// Highway wants these after foreach_target.h.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace dri::HWY_NAMESPACE {

#if HWY_TARGET & (HWY_SSE4 | HWY_AVX2 | HWY_AVX3)

namespace hn = hwy::HWY_NAMESPACE;

constexpr int64_t vector_bytes = HWY_MAX_BYTES;
constexpr Isa isa = HWY_TARGET == HWY_AVX3 ? Isa::avx512 : HWY_TARGET == HWY_AVX2 ? Isa::avx2 : Isa::sse4;

template <class T> using Tag = hn::ScalableTag<T>;
template <class T> constexpr int64_t lanes = vector_bytes / static_cast<int64_t>(sizeof(T));

// Components before the first whole vector of a destination; nothing where no component begins a vector.
template <class T> std::optional<int64_t> head_of(const std::byte *dst) {
    const auto past =
        static_cast<int64_t>(reinterpret_cast<uintptr_t>(dst) % static_cast<uintptr_t>(vector_bytes));
    if (past % static_cast<int64_t>(sizeof(T)) != 0)
        return std::nullopt;
    return (vector_bytes - past) % vector_bytes / static_cast<int64_t>(sizeof(T));
}

template <class T> HWY_INLINE void split_vectors(const T *pairs, T *re, T *im, int64_t at) {
    const Tag<T> d;
    hn::Vec<Tag<T>> a, b;
    hn::LoadInterleaved2(d, pairs + 2 * at, a, b);
    hn::StoreU(a, d, re + at);
    hn::StoreU(b, d, im + at);
}

template <class T> HWY_INLINE void join_vectors(const T *re, const T *im, T *pairs, int64_t at) {
    const Tag<T> d;
    hn::StoreInterleaved2(hn::LoadU(d, re + at), hn::LoadU(d, im + at), d, pairs + 2 * at);
}

// n >= lanes. The last vector ends with the line: what was written already is written again with the same value.
template <class T> void split_line(const std::byte *src, std::byte *dst, int64_t plane, int64_t n, Stores stores) {
    const Tag<T> d;
    const auto *pairs = reinterpret_cast<const T *>(src);
    auto *re = reinterpret_cast<T *>(dst), *im = reinterpret_cast<T *>(dst + plane);
    int64_t i = 0;
    const auto head = head_of<T>(dst);
    if (stores == Stores::streaming && head && plane % vector_bytes == 0) {
        split_vectors(pairs, re, im, 0);
        for (i = *head; i + lanes<T> <= n; i += lanes<T>) {
            hn::Vec<Tag<T>> a, b;
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

template <class T> void join_line(const std::byte *src, int64_t plane, std::byte *dst, int64_t n, Stores stores) {
    const Tag<T> d;
    const auto *re = reinterpret_cast<const T *>(src), *im = reinterpret_cast<const T *>(src + plane);
    auto *pairs = reinterpret_cast<T *>(dst);
    int64_t i = 0;
    const auto head = head_of<T>(dst);
    if (stores == Stores::streaming && head && *head % 2 == 0) {
        alignas(64) std::array<T, 2 * lanes<T>> both;
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

// A tile is as wide as whole lines of the destination, and as long as fits beside it into the first cache. Tiles
// follow each other along the rows of the source: few rows are read side by side, and each line is written whole.
constexpr int64_t tile_bytes = int64_t{24} << 10;
constexpr int64_t gap_bytes = 64; // between lines of a tile, that their starts fall into different cache sets

struct alignas(64) Tile {
    std::byte bytes[tile_bytes];
};

// Lines of a tile are pairs that follow each other in planes; a tile has `lines` of them, `along` pairs each.
template <int64_t component, bool splits> struct Shape {
    static constexpr int64_t pair = 2 * component;
    static constexpr int64_t along = splits ? std::max<int64_t>(16, 128 / component) : 64;
    static constexpr int64_t pitch = along * pair + gap_bytes;
    static constexpr int64_t lines = splits ? tile_bytes / pitch / 16 * 16 : std::max<int64_t>(16, 256 / pair);
    static_assert(lines * pitch <= tile_bytes);
};

// Walks the tiles of a turn. f(source, destination, lines of the tile, pairs of a line).
template <class S, bool splits, class F>
void for_each_tile(const PlaneLoops &p, const std::byte *src, std::byte *dst, const F &f) {
    const auto tile_at = [&](int64_t l, int64_t k) {
        f(src + k * p.plane.src_stride + l * p.pairs.src_stride,
          dst + k * p.plane.dst_stride + l * p.pairs.dst_stride, std::min(S::lines, p.pairs.count - l),
          std::min(S::along, p.plane.count - k));
    };
    if constexpr (splits) {
        for (int64_t k = 0; k < p.plane.count; k += S::along)
            for (int64_t l = 0; l < p.pairs.count; l += S::lines)
                tile_at(l, k);
    } else {
        for (int64_t l = 0; l < p.pairs.count; l += S::lines)
            for (int64_t k = 0; k < p.plane.count; k += S::along)
                tile_at(l, k);
    }
}

// One kernel for the tiles of each shape: whole or cut, along each of two loops.
class Turns {
public:
    template <class Make> const BoundCopy &of(bool whole_lines, bool whole_along, const Make &make) {
        auto &bound = shapes_[whole_lines ? 1 : 0][whole_along ? 1 : 0];
        if (!bound.kernel)
            bound = bind(make(), isa);
        return bound;
    }

private:
    BoundCopy shapes_[2][2];
};

// Shorter lines than a vector.
template <class T> void split_short(const std::byte *src, std::byte *dst, int64_t plane, int64_t n) {
    for (int64_t i = 0; i < n; ++i, src += 2 * sizeof(T), dst += sizeof(T)) {
        std::memcpy(dst, src, sizeof(T));
        std::memcpy(dst + plane, src + sizeof(T), sizeof(T));
    }
}

template <class T> void join_short(const std::byte *src, int64_t plane, std::byte *dst, int64_t n) {
    for (int64_t i = 0; i < n; ++i, src += sizeof(T), dst += 2 * sizeof(T)) {
        std::memcpy(dst, src, sizeof(T));
        std::memcpy(dst + sizeof(T), src + plane, sizeof(T));
    }
}

// Pairs are turned into the tile, whose lines are split.
template <class T>
void split_turn(const PlaneLoops &p, Turns &turns, const std::byte *src, std::byte *dst, Stores stores) {
    using S = Shape<static_cast<int64_t>(sizeof(T)), true>;
    constexpr int64_t pair = S::pair, pitch = S::pitch;
    Tile tile;
    for_each_tile<S, true>(p, src, dst, [&](const std::byte *s, std::byte *d, int64_t lines, int64_t along) {
        const auto make = [&] {
            return StridedCopy{pair, 0, 0, {{lines, pair, pitch}, {along, p.plane.src_stride, pair}}};
        };
        turns.of(lines == S::lines, along == S::along, make)(s, tile.bytes);
        for (int64_t l = 0; l < lines; ++l) {
            std::byte *line = d + l * p.pairs.dst_stride;
            if (along < lanes<T>)
                split_short<T>(tile.bytes + l * pitch, line, p.part.dst_stride, along);
            else
                split_line<T>(tile.bytes + l * pitch, line, p.part.dst_stride, along, stores);
        }
    });
}

// Lines are joined into the tile, whose pairs are turned.
template <class T>
void join_turn(const PlaneLoops &p, Turns &turns, const std::byte *src, std::byte *dst, Stores stores) {
    using S = Shape<static_cast<int64_t>(sizeof(T)), false>;
    constexpr int64_t pair = S::pair, pitch = S::pitch;
    Tile tile;
    for_each_tile<S, false>(p, src, dst, [&](const std::byte *s, std::byte *d, int64_t lines, int64_t along) {
        for (int64_t l = 0; l < lines; ++l) {
            const std::byte *line = s + l * p.pairs.src_stride;
            if (along < lanes<T>)
                join_short<T>(line, p.part.src_stride, tile.bytes + l * pitch, along);
            else
                join_line<T>(line, p.part.src_stride, tile.bytes + l * pitch, along, Stores::cached);
        }
        const auto make = [&] {
            return StridedCopy{pair, 0, 0, {{along, pair, p.plane.dst_stride}, {lines, pitch, pair}}};
        };
        const BoundCopy &turn = turns.of(lines == S::lines, along == S::along, make);
        turn.kernel->run(turn.copy, tile.bytes, d, stores);
    });
}

template <class T> void copy_lines(const PlaneLoops &p, const std::byte *src, std::byte *dst, Stores stores) {
    for_each_outer(p.outer, 0, src, dst, [&](const std::byte *s, std::byte *d) {
        if (p.splits)
            split_line<T>(s, d, p.part.dst_stride, p.pairs.count, stores);
        else
            join_line<T>(s, p.part.src_stride, d, p.pairs.count, stores);
    });
}

template <class T> void turn_lines(const PlaneLoops &p, const std::byte *src, std::byte *dst, Stores stores) {
    Turns turns;
    for_each_outer(p.outer, 0, src, dst, [&](const std::byte *s, std::byte *d) {
        if (p.splits)
            split_turn<T>(p, turns, s, d, stores);
        else
            join_turn<T>(p, turns, s, d, stores);
    });
}

bool fits_planes(const StridedCopy &copy) {
    const auto p = find_planes(copy);
    return p && p->plane.count * copy.run_bytes >= vector_bytes && (!p->turns || p->pairs.count >= 4);
}

void copy_planes(const StridedCopy &copy, const std::byte *src, std::byte *dst, Stores stores) {
    const PlaneLoops p = *find_planes(copy);
    switch (copy.run_bytes) {
    case 1: p.turns ? turn_lines<uint8_t>(p, src, dst, stores) : copy_lines<uint8_t>(p, src, dst, stores); break;
    case 2: p.turns ? turn_lines<uint16_t>(p, src, dst, stores) : copy_lines<uint16_t>(p, src, dst, stores); break;
    case 4: p.turns ? turn_lines<uint32_t>(p, src, dst, stores) : copy_lines<uint32_t>(p, src, dst, stores); break;
    default:
        p.turns ? turn_lines<uint64_t>(p, src, dst, stores) : copy_lines<uint64_t>(p, src, dst, stores);
        break;
    }
    if (stores == Stores::streaming)
        hwy::FlushStream();
}

#endif

} // namespace dri::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dri {

namespace {

std::optional<PlaneLoops> find_planes(const StridedCopy &copy, int64_t Loop::*paired, int64_t Loop::*planar) {
    const int64_t run = copy.run_bytes;
    const Loop *part = nullptr, *pairs = nullptr, *plane = nullptr;
    for (const Loop &l : copy.loops) {
        if (!part && l.count == 2 && l.*paired == run)
            part = &l;
        else if (!pairs && l.*paired == 2 * run)
            pairs = &l;
        if (&l != part && !plane && l.*planar == run)
            plane = &l;
    }
    if (!part || !pairs || !plane)
        return std::nullopt;
    PlaneLoops p{paired == &Loop::src_stride, *part, *pairs, *plane, pairs != plane, copy};
    p.outer.loops.clear();
    for (const Loop &l : copy.loops)
        if (&l != part && &l != pairs && &l != plane)
            p.outer.loops.push_back(l);
    return p;
}

} // namespace

std::optional<PlaneLoops> find_planes(const StridedCopy &copy) {
    const int64_t run = copy.run_bytes;
    if (copy.conversion || copy.loops.size() < 2 || (run != 1 && run != 2 && run != 4 && run != 8))
        return std::nullopt;
    const auto splits = find_planes(copy, &Loop::src_stride, &Loop::dst_stride);
    return splits ? splits : find_planes(copy, &Loop::dst_stride, &Loop::src_stride);
}

} // namespace dri
#endif
