// Divides copies into slices: what several threads do at the same time, each in its own part of the destination.
#pragma once

#include "plan/tiles.hpp"

#include <vector>

namespace dri::plan {

// Cuts a copy into at most `parts` slices of about equal bytes, in the order of their destinations. Together they
// write what the copy writes, no byte twice.
//
// The cut is along the outermost loop or table, or along the run, that gives each slice enough steps. The kernel
// that suits the whole copy then suits each slice. If possible, slices start at whole cache lines counted from the
// copy's first byte, so that two threads hardly ever write one line. There are fewer slices if there is nothing to
// cut. `copy` must be in canonical form. Cost per slice: the entries of the tables.
std::vector<StridedCopy> cut(const StridedCopy &copy, int64_t parts);

// Divides copies among threads. Each thread receives a list of about equal bytes. Large copies are cut; small ones
// are assigned whole to the thread with the fewest bytes.
std::vector<std::vector<StridedCopy>> deal(const std::vector<StridedCopy> &copies, int64_t threads);

// The same for tiled copies. A tile is never cut. A copy that needs no scratch memory is cut like any other.
std::vector<std::vector<TiledCopy>> deal(const std::vector<TiledCopy> &copies, int64_t threads);

} // namespace dri::plan
