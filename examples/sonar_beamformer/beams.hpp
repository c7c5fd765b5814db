#pragma once

#include "sonar.hpp"

#include <vector>

namespace sonar {

// Delay-and-sum beamforming, one frequency after the other: at one frequency a delay is a factor. The sensors are
// weighted against sidelobes (Hamming). The power of white noise is preserved.
class Beams {
public:
    // Prepares the factors of the spectral lines [first, end).
    Beams(const Sonar &sonar, std::int64_t first, std::int64_t end);

    // Adds `scale` times the power of each beam at one line. sensors: that line of each sensor.
    void add_power(std::int64_t line, const cfloat *sensors, float scale, float *power);

private:
    std::int64_t first_, sensors_;
    std::vector<float> real_, imaginary_; // factors, [line][sensor][beam]
    std::vector<float> sum_real_, sum_imaginary_;
};

} // namespace sonar
