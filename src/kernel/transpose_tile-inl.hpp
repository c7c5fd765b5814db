// Transposes small tiles in registers. This file is compiled once per instruction set: the guard admits it again
// for each of them.
#if defined(DRI_KERNEL_TRANSPOSE_TILE) == defined(HWY_TARGET_TOGGLE)
#ifdef DRI_KERNEL_TRANSPOSE_TILE
#undef DRI_KERNEL_TRANSPOSE_TILE
#else
#define DRI_KERNEL_TRANSPOSE_TILE
#endif

#include "kernel/kernel.hpp"
#include "kernel/lines-inl.hpp"

#include <hwy/highway.h>

#include <algorithm>
#include <utility>

HWY_BEFORE_NAMESPACE();
namespace dri::kernel::HWY_NAMESPACE {

#if HWY_TARGET & (HWY_SSE4 | HWY_AVX2 | HWY_AVX3)

constexpr int64_t block_bytes = 16;
constexpr int64_t blocks = vector_bytes / block_bytes; // 128-bit blocks of a vector

template <int64_t element> struct Tile {
    using Lane = hwy::UnsignedFromSize<element == 16 ? 8 : element>;
    using Tag = hn::ScalableTag<Lane>;
    using Vector = hn::Vec<Tag>;
    static constexpr int64_t per_block = block_bytes / element;
    // A tile is square for elements of 4 bytes or more. Smaller elements would need more registers than there are.
    // Their tile is one block wide, and a vector is assembled from blocks of different rows.
    static constexpr bool square = element >= 4;
    static constexpr int64_t rows = vector_bytes / element;
    static constexpr int64_t columns = square ? rows : per_block;
    static constexpr int64_t line_rows = line_bytes / element;
    // Number of tiles that make up whole destination lines and are held in registers together.
    static constexpr int64_t stack = square ? line_rows / rows : 1;
    static constexpr bool can_stream = stack * rows == line_rows;
    // Rows of a strip: two lines of each column. For small elements it is one line, because many more source rows
    // side by side cost more than they gain.
    static constexpr int64_t strip_rows = element >= 4 ? 2 * line_rows : line_rows;
    // Columns that are finished before the next rows: a whole line of the source, so that it is fetched once.
    static constexpr int64_t step = std::max(columns, line_rows);
};

// Columns of the destination that a streamed corner turn writes before it continues with the next rows. With small
// pages, most columns lie in a page of their own, and a processor holds the addresses of some 1,500 to 3,000
// pages.
constexpr int64_t columns_at_once = 2048;
// Position that a streamed corner turn fetches while it works on a column of a strip: some columns later, in one
// of the next strips if this strip ends before.
template <int64_t element> struct Ahead {
    static constexpr int64_t columns = 2048 / element, min_width = columns / 4;
    int64_t row, column;

    // width: number of columns that are transposed strip by strip. If they are so few that the hardware does not
    // fetch more lines of a row, the result is a row that does not exist.
    static HWY_INLINE Ahead of(int64_t row, int64_t rows, int64_t column, int64_t width) {
        if (width < min_width)
            return {INT64_MAX / 2, 0};
        Ahead next{row, column + columns};
        for (; next.column >= width; next.column -= width)
            next.row += rows;
        return next;
    }
};

template <int64_t element> using VectorOf = typename Tile<element>::Vector;
template <int64_t n> using Indices = std::make_index_sequence<static_cast<size_t>(n)>;

template <class D> HWY_INLINE hn::Vec<D> load(D d, const std::byte *p) {
    return hn::LoadU(d, reinterpret_cast<const hn::TFromD<D> *>(p));
}

// Loads a vector of blocks, each `pitch` bytes after the one before it.
template <class D> HWY_INLINE hn::Vec<D> load_blocks(D d, const std::byte *p, int64_t pitch) {
    constexpr int64_t n = static_cast<int64_t>(hn::MaxLanes(D()) * sizeof(hn::TFromD<D>)) / block_bytes;
    if constexpr (n == 1) {
        return load(d, p);
    } else {
        const hn::Half<D> half;
        return hn::Combine(d, load_blocks(half, p + n / 2 * pitch, pitch), load_blocks(half, p, pitch));
    }
}

// Transposes each block column of 2 to 16 vectors. This takes log2(number of vectors) perfect shuffles.
template <int64_t stages, class D, class V, size_t... i>
HWY_INLINE void interleave(D d, V *v, std::index_sequence<i...> pairs) {
    if constexpr (stages > 0) {
        constexpr size_t half = sizeof...(i);
        V t[2 * half];
        ((t[2 * i] = hn::InterleaveLower(d, v[i], v[i + half]),
          t[2 * i + 1] = hn::InterleaveUpper(d, v[i], v[i + half])),
         ...);
        ((v[i] = t[i], v[i + half] = t[i + half]), ...);
        interleave<stages - 1>(d, v, pairs);
    }
}

#if HWY_TARGET == HWY_AVX3
// The blocks of a and then of b at even positions, and those at odd ones. Highway has no such function for blocks.
// Its others need a third more instructions: a corner turn in cache takes up to a tenth longer.
template <class V> HWY_INLINE V even_blocks(V a, V b) { return V{_mm512_shuffle_i64x2(a.raw, b.raw, 0x88)}; }
template <class V> HWY_INLINE V odd_blocks(V a, V b) { return V{_mm512_shuffle_i64x2(a.raw, b.raw, 0xdd)}; }
#endif

// Transposes the blocks of as many vectors as a vector has blocks. The vectors are v[0], v[apart], v[2 * apart],
// ...
template <int64_t apart, class D, class V> HWY_INLINE void transpose_blocks(D d, V *v) {
    if constexpr (blocks == 2) {
        const V a = v[0], b = v[apart];
        v[0] = hn::ConcatLowerLower(d, b, a);
        v[apart] = hn::ConcatUpperUpper(d, b, a);
#if HWY_TARGET == HWY_AVX3
    } else if constexpr (blocks == 4) {
        const V even_a = even_blocks(v[0], v[apart]), odd_a = odd_blocks(v[0], v[apart]);
        const V even_b = even_blocks(v[2 * apart], v[3 * apart]), odd_b = odd_blocks(v[2 * apart], v[3 * apart]);
        v[0] = even_blocks(even_a, even_b);
        v[apart] = even_blocks(odd_a, odd_b);
        v[2 * apart] = odd_blocks(even_a, even_b);
        v[3 * apart] = odd_blocks(odd_a, odd_b);
#endif
    }
}

template <int64_t element, size_t... i>
HWY_INLINE void load_rows(const std::byte *src, int64_t pitch, VectorOf<element> *v, std::index_sequence<i...>) {
    using T = Tile<element>;
    const typename T::Tag d;
    if constexpr (T::square)
        ((v[i] = load(d, src + static_cast<int64_t>(i) * pitch)), ...);
    else
        ((v[i] = load_blocks(d, src + static_cast<int64_t>(i) * pitch, T::per_block * pitch)), ...);
}

template <int64_t element, size_t... group>
HWY_INLINE void interleave_groups(VectorOf<element> *v, std::index_sequence<group...>) {
    using T = Tile<element>;
    constexpr int64_t stages = T::per_block == 16  ? 4
                               : T::per_block == 8 ? 3
                               : T::per_block == 4 ? 2
                                                   : T::per_block - 1;
    (interleave<stages>(typename T::Tag(), v + group * T::per_block, Indices<T::per_block / 2>()), ...);
}

template <int64_t element, size_t... i>
HWY_INLINE void transpose_block_columns(VectorOf<element> *v, std::index_sequence<i...>) {
    (transpose_blocks<Tile<element>::per_block>(typename Tile<element>::Tag(), v + i), ...);
}

// Loads a tile and transposes it: vector i holds column i of the tile.
template <int64_t element>
HWY_INLINE void load_transposed(const std::byte *src, int64_t pitch, VectorOf<element> *v) {
    using T = Tile<element>;
    load_rows<element>(src, pitch, v, Indices<T::columns>());
    interleave_groups<element>(v, Indices<T::columns / T::per_block>());
    if constexpr (T::square)
        transpose_block_columns<element>(v, Indices<T::per_block>());
}

template <int64_t element, Stores stores> HWY_INLINE void store(VectorOf<element> v, std::byte *dst) {
    using T = Tile<element>;
    auto *p = reinterpret_cast<typename T::Lane *>(dst);
    if constexpr (stores == Stores::streaming)
        hn::Stream(v, typename T::Tag(), p);
    else
        hn::StoreU(v, typename T::Tag(), p);
}

template <int64_t element, Stores stores, size_t... i>
HWY_INLINE void store_column(const VectorOf<element> *v, std::byte *dst, std::index_sequence<i...>) {
    (store<element, stores>(v[i * Tile<element>::columns], dst + i * vector_bytes), ...);
}

template <int64_t element, Stores stores, class Stack, size_t... i>
HWY_INLINE void store_columns(const VectorOf<element> *v, std::byte *dst, int64_t pitch, Stack stack,
                              std::index_sequence<i...>) {
    (store_column<element, stores>(v + i, dst + static_cast<int64_t>(i) * pitch, stack), ...);
}

template <int64_t element, size_t... i>
HWY_INLINE void load_stack(const std::byte *src, int64_t pitch, VectorOf<element> *v, std::index_sequence<i...>) {
    using T = Tile<element>;
    (load_transposed<element>(src + static_cast<int64_t>(i) * T::rows * pitch, pitch, v + i * T::columns), ...);
}

template <int64_t element, int64_t rows, int64_t columns, Stores stores>
// Transposes rows x columns elements, as many tiles at a time as fit the registers.
HWY_INLINE void transpose_tiles(const std::byte *src, int64_t src_pitch, std::byte *dst, int64_t dst_pitch) {
    using T = Tile<element>;
    // If there are enough registers, two lines of each column are written one after the other.
    constexpr int64_t line_stack = rows % (T::stack * T::rows) == 0 ? T::stack : 1;
    constexpr bool both_lines = stores == Stores::streaming && T::square && blocks == 4 && 2 * T::columns <= 16 &&
                                rows % (2 * T::rows) == 0;
    constexpr int64_t stack = both_lines ? 2 : line_stack;
    for (int64_t r = 0; r < rows; r += stack * T::rows) {
        for (int64_t c = 0; c < columns; c += T::columns) {
            typename T::Vector v[stack * T::columns];
            load_stack<element>(src + r * src_pitch + c * element, src_pitch, v, Indices<stack>());
            store_columns<element, stores>(v, dst + c * dst_pitch + r * element, dst_pitch, Indices<stack>(),
                                           Indices<T::columns>());
        }
    }
}

// Not inlined: GCC would compute the addresses of all rows and columns before the loops around it. There are more
// of them than registers.
template <int64_t element, int64_t rows, int64_t columns, Stores stores>
HWY_NOINLINE void transpose_step(const std::byte *src, int64_t src_pitch, std::byte *dst, int64_t dst_pitch) {
    using T = Tile<element>;
    constexpr int64_t width = columns * element;
    if constexpr (T::square || columns == T::columns) {
        transpose_tiles<element, rows, columns, stores>(src, src_pitch, dst, dst_pitch);
    } else {
        // Several tiles lie side by side in each line of the source. Rows whose distance is a power of two compete
        // for the same lines of the cache and would be evicted between tiles. They are copied to memory nearby
        // first.
        alignas(line_bytes) std::byte near[rows * width];
        const typename T::Tag d;
        for (int64_t r = 0; r < rows; ++r)
            for (int64_t b = 0; b < width; b += vector_bytes)
                store<element, Stores::cached>(load(d, src + r * src_pitch + b), near + r * width + b);
        transpose_tiles<element, rows, columns, stores>(near, width, dst, dst_pitch);
    }
}

#endif

} // namespace dri::kernel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
