// Which parts of the other side a part shares elements with, and what they share.
#pragma once

#include "planner/pieces.hpp"

#include <functional>

namespace dri {

// The side that my part belongs to.
enum class PartOf { source, sink };

// A part of the other side's cut of one dimension, and what it shares with mine.
struct DimPartner {
    int64_t coord = 0;
    std::vector<CommonRuns> common;
};

// All of them along one dimension, in rising order of coordinates; what is common is seen from the source. side:
// my part's. Index i of the sink is index i + shift of the source. scattered: what is common is given run by run;
// see is_scattered.
std::vector<DimPartner> partners_along(PartOf side, const PartAxis &mine, const Cut &other, int64_t shift,
                                       bool scattered = false);

// Whether a side has lists of indices without a pattern along a dimension. Then both sides look at runs one by
// one, and find partners at a cost of their own runs alone.
bool is_scattered(const Distribution &source, const Distribution &sink, size_t dim);

// Calls f(position of the other side's part, common runs per dimension) for every part of the other side that
// shares elements with mine, in a fixed order; the common runs are seen from the source. Replicas count as one
// part, their first. The cost grows with the partners, not with the parts.
using PartnerFunction = std::function<void(int64_t part, const std::vector<std::vector<CommonRuns>> &common)>;

void for_each_partner(PartOf side, const PartView &mine, const Distribution &source, const Distribution &sink,
                      const PartnerFunction &f);

} // namespace dri
