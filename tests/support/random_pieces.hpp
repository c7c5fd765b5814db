// Random pieces: lists of indices, boxes, and overlap for any kind.
#pragma once

#include "dice.hpp"
#include "random_case.hpp"

namespace dri::test {

// Widths that are mostly small, sometimes wider than n, with any edges.
Overlap random_overlap(Dice &dice, int64_t n);

// Lists for the parts of n indices. whole: each index once, as a source has them; else any indices, any number of
// times.
std::vector<IndexList> random_lists(Dice &dice, int64_t n, int64_t parts, bool whole);

// Boxes of an array. whole: they tile it, in no grid; else any.
std::vector<Box> random_boxes(Dice &dice, const Dims &sizes, int64_t parts, bool whole);

} // namespace dri::test
