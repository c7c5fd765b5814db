// Cell-averaging detection at a constant rate of false alarms.
#pragma once

#include "radar.hpp"

#include <cstdint>
#include <vector>

namespace radar {

struct CfarSettings {
    std::int64_t guard = 4;     // ranges at either side that the target itself may fill
    std::int64_t training = 16; // ranges at either side, beyond these, that tell the noise
    double false_alarms = 1e-8; // per cell

    std::int64_t reach() const { return guard + training; }
};

struct Detection {
    float range; // m
    float speed; // m/s
    float snr;   // dB above the noise around it
};

// How far above the mean of `cells` cells of noise a cell must lie, all being sums of the powers of `channels`
// channels, so that noise alone does so with the given probability.
double cfar_factor(double probability, std::int64_t channels, std::int64_t cells);

class Cfar {
public:
    Cfar(const Radar &radar, const CfarSettings &settings);

    // waveform: of these pulses. power: [range][Doppler cell] of the ranges [held_begin, held_end). Looks for
    // targets in [begin, end), which has the reach of the settings around it as far as there are ranges.
    std::vector<Detection> operator()(const Waveform &waveform, const float *power, std::int64_t held_begin,
                                      std::int64_t held_end, std::int64_t begin, std::int64_t end);

private:
    Radar radar_;
    CfarSettings settings_;
    std::vector<double> factors_; // by number of training cells
    std::vector<double> sums_;    // of a Doppler cell's power, up to each range
};

} // namespace radar
