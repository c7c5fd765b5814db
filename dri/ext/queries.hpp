// Queries of distributions, in two files.
#pragma once

#include "handles.hpp"

namespace dri_python {

using DistributionClass = py::class_<Distribution>;

// About parts: their shapes, boxes and blocks.
void bind_part_queries(DistributionClass &dist);
// About elements: who owns them, and where they lie.
void bind_index_queries(DistributionClass &dist);

} // namespace dri_python
