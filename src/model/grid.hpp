// The grid of parts: how many parts there are along each dimension, if the partition leaves that open.
#pragma once

#include "base/fixed_vector.hpp"
#include "model/partition.hpp"

namespace dri::model {

// Returns the number of parts along each dimension for nprocs processes. Dimensions whose rule leaves the number
// open share the processes that the others leave, so that every rule is met. The choice follows this order:
// - the fewest parts without elements;
// - a largest part whose volume exceeds the smallest possible one by at most a 16th;
// - the smallest surface of the largest part;
// - more parts in the first dimensions.
// Fails with DRI_ERR_ARG if the fixed numbers of parts do not divide nprocs, and with DRI_ERR_CONSTRAINT if no
// grid meets the rules.
Dims choose_grid(const Partition &partition, const Dims &sizes, int nprocs);

} // namespace dri::model
