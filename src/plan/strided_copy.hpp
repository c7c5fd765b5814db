// The one kind of copy: a loop nest with a source and a destination stride per loop. Pack, unpack,
// local copy and corner turn are all one of these. Plain data; offsets and strides in bytes.
#pragma once

#include "base/fixed_vector.hpp"

#include <cstdint>
#include <string>

namespace dri {

struct Loop {
    int64_t count;
    int64_t src_stride;
    int64_t dst_stride;
    friend bool operator==(const Loop &, const Loop &) = default;
};

// At most three loops per dimension: periods, blocks inside a period, elements of a block.
using Loops = FixedVector<Loop, 3 * max_dims>;

// For every combination of loop indices: run_bytes bytes from src_offset + sum of index * src_stride
// to dst_offset + sum of index * dst_stride. Destinations never overlap.
struct StridedCopy {
    int64_t run_bytes = 0;
    int64_t src_offset = 0;
    int64_t dst_offset = 0;
    Loops loops; // outermost first
    friend bool operator==(const StridedCopy &, const StridedCopy &) = default;
};

int64_t copy_bytes(const StridedCopy &copy);

// The same bytes to the same places in canonical form: no loop of count 1, no two loops that could be
// one, runs as long as they can be, loops by falling destination stride, then by falling source stride. A
// copy of nothing has run_bytes 0 and no loops.
StridedCopy canonical(StridedCopy copy);

// One line, such as "8B @0->@64 x[12: 96->8] x[4: 8->128]".
std::string to_text(const StridedCopy &copy);

} // namespace dri
