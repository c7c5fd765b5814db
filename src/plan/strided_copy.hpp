// The only kind of copy: a loop nest with a source and a destination stride per loop. Packing, unpacking, local
// copies and corner turns are all strided copies. Plain data; offsets and strides are in bytes.
#pragma once

#include "base/fixed_vector.hpp"
#include "plan/conversion.hpp"
#include "plan/entries.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace dri::plan {

struct Loop {
    int64_t count;
    int64_t src_stride;
    int64_t dst_stride;
    friend bool operator==(const Loop &, const Loop &) = default;
};

// At most three loops per dimension (periods, blocks inside a period, elements of a block), and one over the two
// parts of a complex number.
constexpr size_t max_loops = 3 * max_dims + 1;
using Loops = FixedVector<Loop, max_loops>;

// A loop whose offsets are listed instead of given by a stride.
struct Table {
    int64_t src_stride = 0; // of the steps inside an entry
    int64_t dst_stride = 0;
    Entries entries;
    friend bool operator==(const Table &, const Table &) = default;
};

// For every combination of loop indices and table steps, the copy moves run_bytes bytes. The source address is
// src_offset plus the sum of index * src_stride plus the tables' source offsets; the destination address is formed
// in the same way. Destinations never overlap. If the copy converts, run_bytes counts whole scalars of the source;
// the destination receives the same number of scalars.
struct StridedCopy {
    int64_t run_bytes = 0;
    int64_t src_offset = 0;
    int64_t dst_offset = 0;
    Loops loops;                    // outermost first
    std::vector<Table> tables = {}; // at most one per dimension
    Conversion conversion = {};
    friend bool operator==(const StridedCopy &, const StridedCopy &) = default;
};

int64_t copy_bytes(const StridedCopy &copy); // in the source's type

// Length of a run in the destination's type.
int64_t dst_run_bytes(const StridedCopy &copy);

// Number of steps of all entries.
int64_t table_steps(const Table &table);

// Distance of a table's steps in the destination. It determines the rank of the table among loops ordered by
// stride.
int64_t table_dst_step(const Table &table);

// The canonical form of a copy. It moves the same bytes to the same addresses.
// - No loop has count 1, and no two loops could be one. Runs are as long as possible.
// - Loops are ordered by falling destination stride, then by falling source stride.
// - A table has more than one entry, in rising order of destinations, and does not follow a stride. Its counts
//   differ from 1 only if they differ from each other.
// - A copy of nothing has run_bytes 0 and no loops, tables or conversion.
StridedCopy canonical(StridedCopy copy);

// One line, such as "8B @0->@64 x[12: 96->8] x[4: 8->128]". A table is "x{7 of 31 steps 8->8: 0->0*3 48->24*5
// ...}", a conversion " int16->float" behind the bytes.
std::string to_text(const StridedCopy &copy);

} // namespace dri::plan
