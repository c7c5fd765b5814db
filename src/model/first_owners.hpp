// The first of the parts that own an index, if stretches of indices overlap.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace dri::model {

// The indices [lo, hi) of a part.
struct OwnedStretch {
    int64_t lo = 0, hi = 0, part = 0;
};

// Built in O(n log n) from n stretches. A question costs O(log n), however much the stretches overlap.
class FirstOwners {
public:
    FirstOwners() = default;
    explicit FirstOwners(std::span<const OwnedStretch> stretches); // sorted by lo, none empty

    std::optional<int64_t> of(int64_t index) const;

private:
    // Disjoint and in rising order; all indices of a range have the same first owner.
    std::vector<OwnedStretch> ranges_;
};

} // namespace dri::model
