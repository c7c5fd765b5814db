// Rules of dimensions as the interface has them, and as the model has them.
#pragma once

#include "model/distribution.hpp"
#include "model/partition.hpp"

#include <dri/part.h>

namespace dri::api {

// The rule of the user for dimension `dim`, checked as far as no array is needed. Fails with DRI_ERR_ARG or
// DRI_ERR_OVERFLOW.
model::CutRule rule_of(const DRI_Part_dim &from, size_t dim);
model::CutRule rule_of(const DRI_Part_tuple &from, size_t dim);
model::Edge edge_of(int edge, size_t dim, const char *name);

// The rule of one dimension as the process `rank` sees it. Its arrays belong to the distribution.
DRI_Part_dim public_rule(const model::Distribution &dist, size_t dim, int rank);

} // namespace dri::api
