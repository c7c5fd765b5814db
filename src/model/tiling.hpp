// Whether the parts of a source hold every element exactly once.
#pragma once

#include "model/distribution.hpp"

namespace dri::model {

// Fails with DRI_ERR_OVERLAP, naming an element and two processes that own it, or with DRI_ERR_GAP, naming an
// element that no process owns. Replicas are no overlap. The result is the same on every process. Cost: nothing
// for cuts that tile by their form; the runs of lists for kind indices; O(P log P) for boxes. It is paid once per
// distribution.
void check_source(const Distribution &dist);
// Whether check_source() does not fail.
bool tiles(const Distribution &dist);

} // namespace dri::model
