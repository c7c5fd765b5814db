// Whether the parts of a source hold every element once.
#pragma once

#include "model/distribution.hpp"

namespace dri {

// Fails with DRI_ERR_OVERLAP, naming an element and two processes that own it, or with DRI_ERR_GAP, naming an
// element that nobody owns. Copies of all data are no overlap. The same on every process. Cost: nothing for cuts
// that tile by their form; the runs of lists of indices; O(P log P) for boxes. Paid once per distribution.
void check_source(const Distribution &dist);
// Whether that does not fail.
bool tiles(const Distribution &dist);

} // namespace dri
