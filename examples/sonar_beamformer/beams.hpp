#pragma once

#include "sonar.hpp"

#include <vector>

namespace sonar {

// Delay and sum at one frequency after the other: a delay is a factor there. The sensors are weighted against side
// lobes (Hamming); white noise keeps its power.
class Beams {
public:
    // Of the spectral lines [first, end).
    Beams(const Sonar &sonar, std::int64_t first, std::int64_t end);

    // Adds `scale` times the power of each beam at one line; sensors: that line of each sensor.
    void add_power(std::int64_t line, const cfloat *sensors, float scale, float *power);

private:
    std::int64_t first_, sensors_;
    std::vector<float> real_, imaginary_; // factors, [line][sensor][beam]
    std::vector<float> sum_real_, sum_imaginary_;
};

} // namespace sonar
