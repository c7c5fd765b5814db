// Sets of bytes in closed form, and whether two of them may have some in common.
#pragma once

#include "plan/strided_copy.hpp"

namespace dri {

// Runs of bytes that begin at begin plus a multiple of each stride, fewer than its count.
struct Steps {
    int64_t count = 1, stride = 0;
};
struct Region {
    int64_t begin = 0, run_bytes = 0;
    FixedVector<Steps, max_loops> steps;
};

// What a copy writes, or reads. A table is taken to have no gaps.
Region region_of(const StridedCopy &copy, bool written);

// From the first byte to the last one.
int64_t hull_bytes(const Region &region);

// What the region has in a row of `pitch` bytes, all rows laid over each other; its begin is that in the row,
// beyond the end of which it may go on.
Region in_row(const Region &region, int64_t pitch);

// False where that is in doubt. Tells apart what lies in different stretches, of all memory or of each row of one
// of the strides, and so on inside the rows.
bool are_apart(const Region &a, const Region &b);

} // namespace dri
