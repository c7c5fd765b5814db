// Sizes of parts in proportion to weights.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace dri::model {

// What every non-empty part must meet; 0: no limit. Only the last non-empty part may break `multiple`.
struct SizeLimits {
    int64_t min = 0, max = 0, multiple = 0;
};

// The sizes of the parts of n indices. Among all sizes that meet the limits and leave parts of weight 0 empty,
// these have the smallest sum of squared distances to the quotas n * weight / sum. Without limits, that is the
// method of the largest remainder; if remainders are equal, the lower part receives more. Returns nothing if no
// sizes meet the limits.
// weights: at least one; all are finite, none is negative, one is positive.
// Cost for p parts: O(p log p), also if there is no result; times log p if `min` exceeds `multiple`; and a few
// times that if n is not a multiple of `multiple`.
std::optional<std::vector<int64_t>> apportion(int64_t n, std::span<const double> weights,
                                              const SizeLimits &limits);

} // namespace dri::model
