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

// The sizes of the parts of n indices, in proportion to the weights. Parts of weight 0 are empty.
// 1. The indices beyond whole multiples belong to the last part of positive weight. It is then not empty.
// 2. With a minimum, as many of the other parts as can hold it are not empty, the heaviest first. Of equal
//    weights the lower part is first.
// 3. The share of a part is factor * weight, raised to the minimum or lowered to the maximum. One factor serves
//    all parts; with it, the shares add up to n.
// 4. Shares are rounded down to whole multiples. The multiples that are left go to the parts with the largest
//    remainders, one to each. Of equal remainders the lower part is first.
// Without limits, that is the method of the largest remainder. Returns nothing if no sizes meet the limits.
// weights: at least one; all are finite, none is negative, one is positive. Their digits below 2^-61 of the
// largest are cut off.
// Cost: O(p log p) for p parts, and O(p) each time that more shares turn out to exceed a bound.
std::optional<std::vector<int64_t>> apportion(int64_t n, std::span<const double> weights,
                                              const SizeLimits &limits);

} // namespace dri::model
