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
    bool by_place = false;
    int64_t begin = INT64_MAX, end = INT64_MIN;

    void add(const StridedCopy &copy); // by place where it has a table
    int64_t end_of(int64_t part) const;
};

// number: of the loop to cut; without one the run is, where there is nothing else. As many as the cutting has;
// those of nothing have run bytes 0, and no tables.
std::vector<StridedCopy> parts_of(const StridedCopy &copy, size_t number, const Cutting &cutting);

// Entries of a copy's tables from that one on. Only the first one is ever cut: each part has the others whole.
int64_t entries_from(const StridedCopy &copy, size_t first);
// Those that each of its slabs, or tiles, has again, because they are cut along other steps.
int64_t repeated_entries(const StridedCopy &copy);

// Whether the longest steps, of a loop or a list, are the same ones in the source and in the sink. What goes to
// many places from one does not count.
bool is_slab(const StridedCopy &copy);
// Along the longest steps through the source.
std::vector<StridedCopy> slabs_of(const StridedCopy &copy, const Cutting &cutting);
// As many parts squared: along the longest steps through the source, and each of those along the longest ones
// through the sink, or slabs.
std::vector<StridedCopy> tiles_of(const StridedCopy &copy, int64_t parts);

} // namespace dri
