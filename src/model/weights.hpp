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

// Sizes of the parts of n indices, by largest remainder; of equal remainders the lower part gets more. A part of
// weight 0 is empty. Under limits the sizes are those nearest to the proportion that meet them, with as few empty
// parts as possible, the lightest ones (of equal weight, the last ones). Nothing where no sizes meet them.
// weights: at least one, finite, none negative, their sum positive and finite. O(p log p), times the number of
// parts left empty by `min`.
std::optional<std::vector<int64_t>> apportion(int64_t n, std::span<const double> weights,
                                              const SizeLimits &limits);

} // namespace dri
