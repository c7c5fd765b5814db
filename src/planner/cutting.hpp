// Cuts a copy along its loops, tables or run into parts that together are the copy.
#pragma once

#include "plan/strided_copy.hpp"

#include <cstdint>
#include <vector>

namespace dri::planner {

// Stands for "no loop" where a loop's number is expected.
constexpr size_t no_loop = SIZE_MAX;

// How copies are cut. There are two rules:
// - By offset: all copies together span a range of the sink, and each part holds what lies in an equal section of
//   this range. Copies with tables need this rule, because the entries of a table can lie anywhere.
// - By steps: each part holds about the same number of steps.
struct Cutting {
    int64_t parts = 1;
    bool by_offset = false;
    int64_t begin = INT64_MAX, end = INT64_MIN;

    void add(const plan::StridedCopy &copy); // switches to the rule by offset if the copy has a table
    int64_t end_of(int64_t part) const;
};

// Cuts the copy along loop `number`, or along its first table. With no_loop the run is cut, if there is nothing
// else to cut. Returns exactly `cutting.parts` copies; empty parts are copies of zero bytes. Further tables are
// never cut: each part repeats them whole.
std::vector<plan::StridedCopy> parts_of(const plan::StridedCopy &copy, size_t number, const Cutting &cutting);

// Divides a copy so that it can be cut by offset. A loop of two steps that are farther apart than the steps that
// are cut becomes two copies. A list of two entries is such a loop.
std::vector<plan::StridedCopy> distant_steps(const plan::StridedCopy &copy);

// Number of entries in all tables.
int64_t entries_of(const plan::StridedCopy &copy);
// Number of entries that all slabs, or tiles, have together, minus those of the copy. Each part repeats the tables
// along which it is not cut. Cost: that of making the parts without those tables.
int64_t entries_again_in_slabs(const plan::StridedCopy &copy, const Cutting &cutting);
int64_t entries_again_in_tiles(const plan::StridedCopy &copy, int64_t parts);

// Whether the longest steps, of a loop or a list, are the same ones in the source and in the sink. Loops with
// source stride 0 do not count.
bool is_slab(const plan::StridedCopy &copy);
// Cuts along the longest steps through the source.
std::vector<plan::StridedCopy> slabs_of(const plan::StridedCopy &copy, const Cutting &cutting);
// Cuts into `parts` squared tiles: along the longest steps through the source, then each of these along the
// longest steps through the sink. If both are the same steps, cuts into as many slabs.
std::vector<plan::StridedCopy> tiles_of(const plan::StridedCopy &copy, int64_t parts);

} // namespace dri::planner
