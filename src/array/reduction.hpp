// Reductions: sums, minima and maxima of elements, combined over processes in the order of the group.
#pragma once

#include <dri/loop.h>

#include <cstddef>
#include <cstdint>

namespace dri::array {

// How elements of a type are reduced.
struct Reducer {
    int64_t bytes = 0; // of an element
    // Sets count elements to what changes nothing.
    void (*clear)(void *elements, int count) = nullptr;
    // into: op of itself and `from`.
    void (*combine)(void *into, const void *from, int count) = nullptr;
};
// Fails with DRI_ERR_ARG for another operation, and with DRI_ERR_UNSUPPORTED for another type.
Reducer reducer_of(DRI_Type type, DRI_Op op);

// Reduces elements of a type with steps in bytes into one result, which the caller clears: a sum in 64 bits or
// double, otherwise an element. Fails as reducer_of.
struct Summer {
    DRI_Type result{};
    void (*add)(void *result, int ndims, const int64_t sizes[], const void *data, const int64_t steps[]) = nullptr;
};
Summer summer_of(DRI_Type type, DRI_Op op);

} // namespace dri::array
