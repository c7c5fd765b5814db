#include "transpose.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace bench {

namespace {

// Transposes one block of elements in registers. Pitches are bytes from row to row.
using BlockFunction = void (*)(std::byte *to, int64_t to_pitch, const std::byte *from, int64_t from_pitch);

template <class Element, size_t n> struct VectorOf {
    typedef Element type __attribute__((vector_size(n * sizeof(Element))));
};

// Rows a and b = a + s belong to squares of 2s x 2s elements. Swaps the upper right and the lower left quarter of
// each square.
template <size_t s, class Vector, size_t... k>
[[gnu::always_inline]] inline void swap_squares(Vector &a, Vector &b, std::index_sequence<k...>) {
    constexpr size_t n = sizeof...(k);
    const Vector upper = __builtin_shufflevector(a, b, ((k & s) ? n + k - s : k)...);
    b = __builtin_shufflevector(a, b, ((k & s) ? n + k : k + s)...);
    a = upper;
}

template <class Element, size_t n, size_t s = 1, class Vector>
[[gnu::always_inline]] inline void transpose_rows(Vector *rows) {
    if constexpr (s < n) {
        for (size_t i = 0; i < n; ++i)
            if (!(i & s))
                swap_squares<s>(rows[i], rows[i + s], std::make_index_sequence<n>());
        transpose_rows<Element, n, 2 * s>(rows);
    }
}

template <class Element, size_t n>
[[gnu::always_inline]] inline void transpose_block(std::byte *to, int64_t to_pitch, const std::byte *from,
                                                   int64_t from_pitch) {
    typename VectorOf<Element, n>::type rows[n];
    for (size_t i = 0; i < n; ++i)
        std::memcpy(&rows[i], from + static_cast<int64_t>(i) * from_pitch, sizeof rows[i]);
    transpose_rows<Element, n>(rows);
    for (size_t i = 0; i < n; ++i)
        std::memcpy(to + static_cast<int64_t>(i) * to_pitch, &rows[i], sizeof rows[i]);
}

template <class Element>
__attribute__((target("avx512f"))) void block_avx512(std::byte *to, int64_t to_pitch, const std::byte *from,
                                                     int64_t from_pitch) {
    transpose_block<Element, 64 / sizeof(Element)>(to, to_pitch, from, from_pitch);
}

template <class Element>
__attribute__((target("avx2"))) void block_avx2(std::byte *to, int64_t to_pitch, const std::byte *from,
                                                int64_t from_pitch) {
    transpose_block<Element, 32 / sizeof(Element)>(to, to_pitch, from, from_pitch);
}

template <class Element>
void block_sse2(std::byte *to, int64_t to_pitch, const std::byte *from, int64_t from_pitch) {
    transpose_block<Element, 16 / sizeof(Element)>(to, to_pitch, from, from_pitch);
}

// The block function for the widest registers of this processor.
struct Block {
    BlockFunction run;
    int64_t n; // elements along each side
};

template <class Element> Block block_of() {
    constexpr auto size = static_cast<int64_t>(sizeof(Element));
    if (__builtin_cpu_supports("avx512f"))
        return {block_avx512<Element>, 64 / size};
    if (__builtin_cpu_supports("avx2"))
        return {block_avx2<Element>, 32 / size};
    return {block_sse2<Element>, 16 / size};
}

// Transposes a rectangle element by element. `bytes` is the size of an element if it is known at compile time,
// otherwise 0.
template <size_t bytes>
void transpose_cut(const Transpose &t, int64_t first_row, int64_t last_row, int64_t first_column,
                   int64_t last_column, std::byte *to, const std::byte *from) {
    const size_t element_bytes = bytes > 0 ? bytes : static_cast<size_t>(t.element_bytes);
    for (int64_t row = first_row; row < last_row; ++row)
        for (int64_t column = first_column; column < last_column; ++column)
            std::memcpy(to + (row * t.to_stride + column) * t.element_bytes,
                        from + (column * t.from_stride + row) * t.element_bytes, element_bytes);
}

// Width of a strip: a few cache lines of the destination's rows. Each strip is transposed row by row.
constexpr int64_t strip_bytes = 256;

template <class Element> void transpose_blocks(const Transpose &t, std::byte *to, const std::byte *from) {
    const Block block = block_of<Element>();
    const int64_t to_pitch = t.to_stride * t.element_bytes;
    const int64_t from_pitch = t.from_stride * t.element_bytes;
    const int64_t strip = strip_bytes / t.element_bytes;
    const int64_t block_rows = t.rows / block.n * block.n;
    const int64_t block_columns = t.columns / block.n * block.n;
    for (int64_t first = 0; first < block_columns; first += strip) {
        const int64_t last = std::min(first + strip, block_columns);
        for (int64_t row = 0; row < block_rows; row += block.n)
            for (int64_t column = first; column < last; column += block.n)
                block.run(to + row * to_pitch + column * t.element_bytes, to_pitch,
                          from + column * from_pitch + row * t.element_bytes, from_pitch);
    }
    transpose_cut<sizeof(Element)>(t, 0, block_rows, block_columns, t.columns, to, from);
    transpose_cut<sizeof(Element)>(t, block_rows, t.rows, 0, t.columns, to, from);
}

template <size_t bytes> void transpose_strips(const Transpose &t, std::byte *to, const std::byte *from) {
    const int64_t strip = std::max<int64_t>(1, strip_bytes / t.element_bytes);
    for (int64_t first = 0; first < t.columns; first += strip)
        transpose_cut<bytes>(t, 0, t.rows, first, std::min(first + strip, t.columns), to, from);
}

} // namespace

void transpose(const Transpose &t, std::byte *to, const std::byte *from) {
    switch (t.element_bytes) {
    case 1: return transpose_strips<1>(t, to, from);
    case 2: return transpose_strips<2>(t, to, from);
    case 4: return transpose_blocks<uint32_t>(t, to, from);
    case 8: return transpose_blocks<uint64_t>(t, to, from);
    case 16: return transpose_strips<16>(t, to, from);
    default: return transpose_strips<0>(t, to, from);
    }
}

} // namespace bench
