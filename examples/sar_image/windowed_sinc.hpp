// Interpolation of evenly sampled complex data with a sinc under a Kaiser window.
#pragma once

#include "phase_history.hpp"

#include <span>

namespace sar {

class WindowedSinc {
public:
    static constexpr std::int64_t taps = 24;

    // occupied_band: the fraction of the samples' bandwidth that the signal fills, below 1. A smaller fraction
    // allows a stronger window and a smaller error, about exp(-12 pi (1 - occupied_band)).
    explicit WindowedSinc(double occupied_band);

    // Returns the value at a position in samples from the first one. Samples outside count as 0.
    cfloat operator()(std::span<const cfloat> samples, double position) const;

private:
    static constexpr std::int64_t phases = 1024;
    std::vector<float> table_; // [phase 0 .. phases][tap]
};

} // namespace sar
