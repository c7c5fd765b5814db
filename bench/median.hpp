// The median of measurements.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace bench {

// Of an even number of values, the mean of the two in the middle. values: at least one.
inline double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t n = values.size();
    return 0.5 * (values[(n - 1) / 2] + values[n / 2]);
}

} // namespace bench
