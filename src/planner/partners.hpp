// Finds the parts of the other side that share elements with a part, and what they share.
#pragma once

#include "model/cut.hpp"
#include "model/distribution.hpp"
#include "model/index_set.hpp"
#include "model/part_axis.hpp"
#include "planner/pieces.hpp"

#include <functional>

namespace dri::planner {

// The side that the given part ("mine") belongs to.
enum class PartOf { source, sink };

// A part of the other side's cut of one dimension, and what it shares with the given part.
struct DimPartner {
    int64_t coord = 0;
    Shared shared;
};

// All partners along one dimension, in rising order of coordinates. `side` is the side of `mine`. Index i of the
// sink is index i + shift of the source. scattered: runs are listed one by one; see is_scattered.
std::vector<DimPartner> partners_along(PartOf side, const HeldRuns &mine, const model::Cut &other, int64_t shift,
                                       bool scattered = false);

// Whether one of the sides has index lists without a pattern along a dimension. Then both sides examine runs one
// by one, and the cost of a search depends on the runs of the part alone.
bool is_scattered(const model::Distribution &source, const model::Distribution &sink, size_t dim);

// Calls f(part of the other side, what is shared per dimension) for every part that shares elements with `mine`,
// in a fixed order. Replicas count as one part, their first. The cost grows with the number of partners, not with
// the number of parts.
using PartnerFunction = std::function<void(int64_t part, std::span<const Shared *const> shared)>;

void for_each_partner(PartOf side, const PartView &mine, const model::Distribution &source,
                      const model::Distribution &sink, const PartnerFunction &f);

} // namespace dri::planner
