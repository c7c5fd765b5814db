// Sizes in proportion to weights.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace dri {

// What every non-empty part must meet; 0: no constraint. Only the last non-empty part may break `multiple`.
struct SizeLimits {
    int64_t min = 0, max = 0, multiple = 0;
};

// Sizes of the parts of n indices: of all that meet the limits and leave parts of weight 0 empty, those with the
// least sum of squared distances to the quotas n * weight / sum. Without limits that is the largest remainder; of
// equal remainders the lower part gets more. Nothing where no sizes meet the limits.
// weights: at least one, finite, none negative, one positive.
// Cost for p parts: O(p log p), also where it is refused; times log p where `min` is more than `multiple`; and a
// few times that where n is no multiple of `multiple`.
std::optional<std::vector<int64_t>> apportion(int64_t n, std::span<const double> weights,
                                              const SizeLimits &limits);

} // namespace dri
