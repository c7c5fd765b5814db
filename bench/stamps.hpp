// Test data: each element is a hash of its global index, so that a misplaced element is found.
#pragma once

#include "geometry.hpp"

#include <cstddef>

namespace bench {

// Memory of a part: rows of its fastest dimension, contiguous if the pitch is 0.
template <class Byte> struct Rows {
    Byte *first;
    int64_t pitch; // bytes
};

// Writes the stamps of a part's elements.
void fill(const Case &c, const Part &part, Rows<std::byte> rows);

// Overwrites the elements with bytes 0xa5. Only a short stamp can equal them by chance.
void poison(const Case &c, const Part &part, Rows<std::byte> rows);

// Number of elements of a part that differ from their stamps.
int64_t count_wrong(const Case &c, const Part &part, Rows<const std::byte> rows);

} // namespace bench
