#pragma once

#include "fftw.hpp"
#include "radar.hpp"

namespace radar {

// From pulses to Doppler cells, range by range, the powers of all channels summed.
class DopplerFilter {
public:
    explicit DopplerFilter(const Radar &radar);

    // pulses: [channel][pulse] of one range. power: one number per Doppler cell, in the transform's order.
    void operator()(const cfloat *pulses, float *power);

private:
    std::int64_t channels_;
    std::vector<float> window_;
    common::Array line_;
    common::Plan transform_;
};

} // namespace radar
