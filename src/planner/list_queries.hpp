// Single runs of one side and the lists of indices of the other, where each index is a block with overlap around
// it. Only the blocks that a run meets are looked at, never a whole part.
#pragma once

#include "model/cut.hpp"

#include <functional>

namespace dri {

// A run in coordinates of the cut that it asks, inside the cut: indices [lo, hi), at local places from `local` on.
struct QueryRun {
    int64_t lo = 0, hi = 0, local = 0;
};

// What the run shares with a part of the cut; its place first.
using SharedFunction = std::function<void(int64_t part, const CommonRuns &common)>;

// The run is a source's: all places where parts show its indices, in overlap and pads, too.
void find_shown(const Cut &lists, const QueryRun &run, const SharedFunction &f);
// The run is a sink's: all places where parts own its indices.
void find_owned(const Cut &lists, const QueryRun &run, const SharedFunction &f);

} // namespace dri
