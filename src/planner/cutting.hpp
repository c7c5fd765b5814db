// Cutting a copy along its loops, lists or run into parts that together are the copy.
#pragma once

#include "plan/strided_copy.hpp"

#include <cstdint>
#include <vector>

namespace dri {

// Instead of a loop's number: none.
constexpr size_t no_loop = SIZE_MAX;

// Into how many parts copies are cut: by place, so that each has what lies in an equal part of the stretch that
// they all have in the sink, because lists have their steps where they like; or in about as many steps.
struct Cutting {
    int64_t parts = 1;
    bool by_offset = false;
    int64_t begin = INT64_MAX, end = INT64_MIN;

    void add(const StridedCopy &copy); // by place where it has a table
    int64_t end_of(int64_t part) const;
};

// number: of the loop to cut; without one the run is, where there is nothing else. As many as the cutting has;
// those of nothing are copies of nothing. Of tables only the first one is ever cut: each part has the others
// whole.
std::vector<StridedCopy> parts_of(const StridedCopy &copy, size_t number, const Cutting &cutting);

// Copies that together are the copy, which may be cut by offset: two steps of a loop that lie farther apart than
// what is cut, as those of a list of two entries do, are one each.
std::vector<StridedCopy> distant_steps(const StridedCopy &copy);

// Entries of all tables.
int64_t entries_of(const StridedCopy &copy);
// How many more than the copy its slabs, or tiles, have together: each has those again that it is not cut along.
// Cost: as the parts without those.
int64_t entries_again_in_slabs(const StridedCopy &copy, const Cutting &cutting);
int64_t entries_again_in_tiles(const StridedCopy &copy, int64_t parts);

// Whether the longest steps, of a loop or a list, are the same ones in the source and in the sink. What goes to
// many places from one does not count.
bool is_slab(const StridedCopy &copy);
// Along the longest steps through the source.
std::vector<StridedCopy> slabs_of(const StridedCopy &copy, const Cutting &cutting);
// As many parts squared: along the longest steps through the source, and each of those along the longest ones
// through the sink, or slabs.
std::vector<StridedCopy> tiles_of(const StridedCopy &copy, int64_t parts);

} // namespace dri
