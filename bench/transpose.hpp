#pragma once

#include <cstddef>
#include <cstdint>

namespace bench {

// to[r * to_stride + c] = from[c * from_stride + r] for r < rows, c < columns, all in elements.
struct Transpose {
    int64_t element_bytes;
    int64_t rows;    // of the destination
    int64_t columns; // of the destination
    int64_t from_stride, to_stride;
};

// Uses plain stores, and writes a few whole cache lines of each destination row at a time. Elements of 4 and 8
// bytes are transposed in registers.
void transpose(const Transpose &t, std::byte *to, const std::byte *from);

} // namespace bench
