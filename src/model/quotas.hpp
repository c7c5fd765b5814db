// Quotas in proportion to weights, and how far sizes are from them. Both are whole numbers, so they are the same
// on every platform.
#pragma once

#include "base/checked.hpp"

#include <span>
#include <vector>

namespace dri::model {

// The exact share of a part: whole + rest / total indices, 0 <= rest < total.
struct Quota {
    int64_t whole = 0;
    Wide rest = 0;
};

// A sum of squared distances to quotas, minus the sum for sizes equal to the whole quotas: whole + rest / total, 0
// <= rest < total.
struct Distance {
    Wide whole = 0, rest = 0;
    friend bool operator<(const Distance &a, const Distance &b) {
        return a.whole != b.whole ? a.whole < b.whole : a.rest < b.rest;
    }
};

class Quotas {
public:
    // Quotas are n * weight / sum of the weights. Weights are finite; none is negative, one is positive. Their
    // digits are cut off below 2^-61 of the largest weight.
    Quotas(int64_t n, std::span<const double> weights);

    size_t size() const { return quotas_.size(); }
    const Quota &operator[](size_t part) const { return quotas_[part]; }
    Wide total() const { return total_; }
    double rounded(size_t part) const; // in floating point

    Distance distance(std::span<const int64_t> sizes) const; // one size per part; they add up to n

private:
    std::vector<Quota> quotas_;
    Wide total_ = 0;
};

// A part that holds unit * u + odd indices, for a whole number u in [min, max].
struct Bin {
    size_t part = 0;
    int64_t odd = 0, min = 0, max = 0;
};

struct Spread {
    std::vector<int64_t> units; // of each bin
    double price = 0;           // what an index of the most expensive unit adds to the distance
};

// Distributes `units` among the bins, so that the distance to the quotas is smallest. If units cost the same,
// the earlier bin receives more. The bins have capacity for them: sum of min <= units <= sum of max. Cost: O(b log
// b) for b bins, times the logarithm of how far the bounds push sizes away from the quotas.
Spread spread(const Quotas &quotas, std::span<const Bin> bins, int64_t unit, int64_t units);

} // namespace dri::model
