// The one kind of copy: a loop nest with a source and a destination stride per loop. Pack, unpack,
// local copy and corner turn are all one of these. Plain data; offsets and strides in bytes.
#pragma once

#include "base/fixed_vector.hpp"
#include "plan/conversion.hpp"
#include "plan/entries.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace dri {

struct Loop {
    int64_t count;
    int64_t src_stride;
    int64_t dst_stride;
    friend bool operator==(const Loop &, const Loop &) = default;
};

// At most three loops per dimension: periods, blocks inside a period, elements of a block; and one over the two
// parts of a complex number.
constexpr size_t max_loops = 3 * max_dims + 1;
using Loops = FixedVector<Loop, max_loops>;

struct Table {
    int64_t src_stride = 0; // of the steps inside an entry
    int64_t dst_stride = 0;
    Entries entries;
    friend bool operator==(const Table &, const Table &) = default;
};

// For every combination of loop indices and of tables' steps: run_bytes bytes from src_offset + the sum of
// index * src_stride and of the tables' source offsets to the same sum of the destination's. Destinations never
// overlap. Where the copy converts, run_bytes are the source's, whole scalars; the destination has as many.
struct StridedCopy {
    int64_t run_bytes = 0;
    int64_t src_offset = 0;
    int64_t dst_offset = 0;
    Loops loops;                    // outermost first
    std::vector<Table> tables = {}; // at most one per dimension
    Conversion conversion = {};
    friend bool operator==(const StridedCopy &, const StridedCopy &) = default;
};

int64_t copy_bytes(const StridedCopy &copy); // as the source has them

// A run as the destination has it.
int64_t dst_run_bytes(const StridedCopy &copy);

// All steps of a table's entries.
int64_t table_steps(const Table &table);

// How far apart a table's steps lie in the destination: its place among loops that are ordered by stride.
int64_t table_dst_step(const Table &table);

// The same bytes to the same places in canonical form: no loop of count 1, no two loops that could be
// one, runs as long as they can be, loops by falling destination stride, then by falling source stride. Tables
// have more than one entry, in rising order of destinations, follow no stride, and have counts other than 1
// only where they differ. A copy of nothing has run_bytes 0 and neither loops nor tables nor a conversion.
StridedCopy canonical(StridedCopy copy);

// One line, such as "8B @0->@64 x[12: 96->8] x[4: 8->128]"; a table is "x{7 of 31 steps 8->8: 0->0*3 48->24*5
// ...}", a conversion " int16->float" behind the bytes.
std::string to_text(const StridedCopy &copy);

} // namespace dri
