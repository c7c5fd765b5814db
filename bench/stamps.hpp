// Elements that say which element they are: a mixture of their global index.
#pragma once

#include "geometry.hpp"

#include <cstddef>

namespace bench {

// Where a part lies: rows of its fastest dimension, which follow each other where the pitch is 0.
template <class Byte> struct Rows {
    Byte *first;
    int64_t pitch; // bytes
};

// Writes the elements of a part.
void fill(const Case &c, const Part &part, Rows<std::byte> rows);

// Overwrites them with something that no stamp is.
void poison(const Case &c, const Part &part, Rows<std::byte> rows);

// How many elements of a part are not what they should be.
int64_t count_wrong(const Case &c, const Part &part, Rows<const std::byte> rows);

} // namespace bench
