// Maps of blocks and cyclic blocks: a rule per dimension, in closed form.
#pragma once

#include "domain/axis_runs.hpp"
#include "domain/ranges.hpp"

#include <dri/map.h>

#include <string>
#include <vector>

namespace dri::domain {

// How one dimension is cut; the number of parts is known.
using DimRule = DRI_Map_dim;

struct GridMap {
    FixedVector<DimRule, max_dims> dims;
};

// The rules of the user, with the numbers of parts that the library chooses for `processes`. Fails with
// DRI_ERR_ARG.
GridMap make_grid_map(const DRI_Map_dim dims[], int ndims, int processes);

// The part of a dimension that owns an index.
int part_of(const DimRule &rule, int64_t index);
// The dense indices of a range that a part of a dimension owns, in rising order.
AxisRuns runs_of(const DimRule &rule, const DRI_Range &range, int part);

// Numbers that two rules have in common if they are equal: of one kind, with the same part for each index, the
// same overlap, and, as in Chapel, the same bounding box.
std::vector<int64_t> normal_rule(const DimRule &rule);

// Parts are in row-major order over the grid.
int owner_of(const GridMap &map, const int64_t index[]);
FixedVector<int, max_dims> coords_of(const GridMap &map, int position);

// Whether all rules are the same in their normal form.
bool are_equal(const GridMap &a, const GridMap &b);

// "block({1..8}), cyclic(1), whole".
std::string rule_text(const GridMap &map);
// The indices that a position owns, in the bounding box where there is one: "{1..2, ..}".
std::string part_text(const GridMap &map, int position);

} // namespace dri::domain
