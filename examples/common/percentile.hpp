#pragma once

#include <algorithm>
#include <vector>

namespace common {

// Nearest-rank percentile: the value below which `part` (0 to 1) of the sorted values lie, without interpolation.
inline double percentile(std::vector<double> values, double part) {
    const auto place = static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size() - 1) + 0.5);
    std::nth_element(values.begin(), values.begin() + place, values.end());
    return values[static_cast<std::size_t>(place)];
}

} // namespace common
