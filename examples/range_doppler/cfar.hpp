// Cell-averaging detector with a constant false-alarm rate (CFAR).
#pragma once

#include "radar.hpp"

#include <cstdint>
#include <vector>

namespace radar {

struct CfarSettings {
    std::int64_t guard = 4;     // ranges on each side that the target itself may fill
    std::int64_t training = 16; // ranges on each side beyond the guard, from which the noise is estimated
    double false_alarms = 1e-8; // per cell

    std::int64_t reach() const { return guard + training; }
};

struct Detection {
    float range; // m
    float speed; // m/s
    float snr;   // dB above the noise around it
};

// The factor over the mean of `cells` noise cells that noise alone exceeds with the given probability. Each cell
// is the sum of the powers of `channels` channels.
double cfar_factor(double probability, std::int64_t channels, std::int64_t cells);

class Cfar {
public:
    Cfar(const Radar &radar, const CfarSettings &settings);

    // Finds targets in the ranges [begin, end). waveform: that of these pulses. power: [range][Doppler cell] of
    // the ranges [held_begin, held_end), which contain the reach of the settings around [begin, end) as far as
    // ranges exist.
    std::vector<Detection> operator()(const Waveform &waveform, const float *power, std::int64_t held_begin,
                                      std::int64_t held_end, std::int64_t begin, std::int64_t end);

private:
    Radar radar_;
    CfarSettings settings_;
    std::vector<double> factors_; // by number of training cells
    std::vector<double> sums_;    // prefix sums of a Doppler cell's power over the ranges
};

} // namespace radar
