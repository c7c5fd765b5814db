// The grid of parts: how many parts along each dimension, where the partition leaves it open.
#pragma once

#include "base/fixed_vector.hpp"
#include "model/partition.hpp"

namespace dri {

// Parts along each dimension for nprocs processes. Dimensions whose rule leaves the number open share the
// processes that the others leave, so that every rule holds. Of the grids that leave the fewest parts without
// elements, and whose largest part passes the least one by no more than a 16th, the one whose largest part has the
// least surface; of equal ones, that with more parts in the first dimensions. Fails with DRI_ERR_ARG if the fixed
// parts do not divide nprocs, and with DRI_ERR_CONSTRAINT if no grid meets the rules.
Dims choose_grid(const Partition &partition, const Dims &sizes, int nprocs);

} // namespace dri
