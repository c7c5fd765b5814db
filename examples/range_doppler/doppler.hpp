#pragma once

#include "fftw.hpp"
#include "radar.hpp"

namespace radar {

// Transforms from pulses to Doppler cells, range by range. The powers of all channels are summed.
class DopplerFilter {
public:
    explicit DopplerFilter(const Radar &radar);

    // pulses: [channel][pulse] of one range. power: one value per Doppler cell, in the order of the transform.
    void operator()(const cfloat *pulses, float *power);

private:
    std::int64_t channels_;
    std::vector<float> window_;
    common::Array line_;
    common::Plan transform_;
};

} // namespace radar
