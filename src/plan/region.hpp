// Sets of bytes in closed form, and a test whether two of them are disjoint.
#pragma once

#include "plan/strided_copy.hpp"

namespace dri::plan {

// A region consists of runs of run_bytes bytes. A run starts at `begin` plus, for each of the steps, a multiple of
// its stride below its count.
struct Steps {
    int64_t count = 1, stride = 0;
};
struct Region {
    int64_t begin = 0, run_bytes = 0;
    FixedVector<Steps, max_loops> steps;
};

// The bytes that a copy writes, or reads. A table counts as if it had no gaps.
Region region_of(const StridedCopy &copy, bool written);

// Bytes from the first to the last byte of a region.
int64_t hull_bytes(const Region &region);

// The region with all rows of `pitch` bytes laid over each other. Its begin is the offset inside the row; it may
// extend beyond the end of the row.
Region in_row(const Region &region, int64_t pitch);

// Whether two regions have no byte in common; false in doubt. Compares ranges in all memory, then inside rows
// whose pitch is one of the strides, and so on inside these rows.
bool are_apart(const Region &a, const Region &b);

} // namespace dri::plan
