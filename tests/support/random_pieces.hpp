// Random pieces: lists of indices, boxes, and overlap for any kind of rule.
#pragma once

#include "dice.hpp"
#include "random_case.hpp"

namespace dri::test {

// Widths are mostly small and sometimes larger than n. The edges are arbitrary.
model::Overlap random_overlap(Dice &dice, int64_t n);

// Lists for the parts of n indices. whole: each index exactly once, as a source needs them. Otherwise indices may
// be missing or repeated.
std::vector<model::IndexList> random_lists(Dice &dice, int64_t n, int64_t parts, bool whole);

// Boxes of an array. whole: the boxes tile the array without forming a grid. Otherwise they are arbitrary.
std::vector<model::Box> random_boxes(Dice &dice, const Dims &sizes, int64_t parts, bool whole);

} // namespace dri::test
