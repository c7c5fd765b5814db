// Copies between the elements of a slice where they lie in an array and a
// buffer that holds them in order.
#pragma once

#include "domain/space.hpp"

#include <cstddef>
#include <functional>

namespace dri::domain {

// Evenly spaced offsets, in elements.
struct OffsetRun {
    int64_t first, step, size;
};
using OffsetList = std::vector<OffsetRun>;

// A box of elements: an offset is the sum of one offset per dimension. In the
// buffer they are row-major.
using Nest = FixedVector<OffsetList, max_dims>;

// Nests one after the other in the buffer.
struct Packing {
    std::vector<Nest> nests;
    int64_t size = 0; // elements

    bool empty() const { return size == 0; }
};

// Copies one element.
using ElementCopy = std::function<void(const std::byte *from, std::byte *to)>;

void pack(const Packing &packing, const std::byte *array, std::byte *buffer, size_t pitch);
void unpack(const Packing &packing, const std::byte *buffer, std::byte *array, size_t pitch);
// Each element by itself.
void unpack_each(const Packing &packing, const std::byte *buffer, std::byte *array, size_t pitch,
                 const ElementCopy &copy);

// Where the elements of a slice that a process owns lie in its array, in the
// order of the slice's distribution. whole: the array's domain. as_list: box by
// box, as in a distribution of one dimension; otherwise row-major over what the
// process owns along each dimension.
Packing packing_of(const Space &whole, const Space &slice, int position, bool as_list);
// The same elements as one nest of evenly spaced offsets with rising steps, if
// they are one. Dimensions of one member have step 1.
struct EvenNest {
    int64_t first = 0;
    Dims steps;
};
std::optional<EvenNest> even_nest(const Packing &packing, size_t ndims);

} // namespace dri::domain
