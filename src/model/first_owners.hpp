// The first of the parts that own an index, where stretches of indices overlap.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace dri {

// A part's indices [lo, hi).
struct OwnedStretch {
    int64_t lo = 0, hi = 0, part = 0;
};

// Built in O(n log n) from n stretches, asked in O(log n), whatever the overlap.
class FirstOwners {
public:
    FirstOwners() = default;
    explicit FirstOwners(std::span<const OwnedStretch> stretches); // in rising order of lo, none empty

    std::optional<int64_t> of(int64_t index) const;

private:
    std::vector<OwnedStretch> ranges_; // whose first owner is the same, in rising order, apart
};

} // namespace dri
