// Intersects single runs of one side with lists of indices of the other side. In a list each index is a block with
// overlap around it. Only the blocks that meet a run are visited, never a whole part.
#pragma once

#include "model/cut.hpp"

#include <functional>

namespace dri::planner {

// A run in coordinates of the cut that is queried, inside the bounds of the cut. Index lo lies at local index
// `local`, the others follow.
struct QueryRun {
    int64_t lo = 0, hi = 0, local = 0;
};

// Receives what the run shares with a part of the cut. In `common`, a is the run's side and b the part's.
using SharedFunction = std::function<void(int64_t part, const model::CommonRuns &common)>;

// For a run of a source: finds all local indices at which parts hold its indices, in overlap and pads, too.
void find_shown(const model::Cut &lists, const QueryRun &run, const SharedFunction &f);
// For a run of a sink: finds all local indices at which parts own its indices.
void find_owned(const model::Cut &lists, const QueryRun &run, const SharedFunction &f);

} // namespace dri::planner
