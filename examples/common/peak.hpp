#pragma once

#include <algorithm>
#include <cmath>

namespace common {

// Position of a peak between cells, in cells from the middle one: the top of a parabola through the logarithms of
// three powers.
inline double peak_offset(float left, float middle, float right) {
    const double a = std::log(std::max(left, 1e-30f)), b = std::log(std::max(middle, 1e-30f)),
                 c = std::log(std::max(right, 1e-30f));
    const double curvature = a - 2 * b + c;
    return curvature < 0 ? std::clamp((a - c) / (2 * curvature), -0.5, 0.5) : 0;
}

// A power in decibels. Zero power gives -300 dB.
inline double decibels(double power) { return 10 * std::log10(std::max(power, 1e-30)); }

} // namespace common
