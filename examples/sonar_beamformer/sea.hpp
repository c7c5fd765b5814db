// The scene of the simulated sonar: noise, distant broadband sources that move, and spectral lines.
#pragma once

#include "noise.hpp"
#include "sonar.hpp"

#include <vector>

namespace sonar {

struct Source {
    double bearing; // degrees, at the start
    double rate;    // degrees per second
    double snr;     // dB at one sensor, over all frequencies
};

struct Tone {
    double frequency; // Hz
    double bearing;   // degrees
    double snr;       // dB at one sensor, relative to the noise of all frequencies
};

double bearing_at(const Source &source, double seconds);

class Sea {
public:
    Sea(const Sonar &sonar, std::vector<Source> sources, std::vector<Tone> tones);

    // Simulates the samples [first, first + count), counted from the start: [sample][sensor]. They are the same on
    // each process.
    void fill(std::int64_t first, std::int64_t count, cfloat *samples) const;

private:
    void add_source(std::size_t number, std::int64_t first, std::int64_t count, cfloat *samples) const;
    void add_tone(const Tone &tone, std::int64_t first, std::int64_t count, cfloat *samples) const;

    Sonar sonar_;
    std::vector<Source> sources_;
    std::vector<Tone> tones_;
    common::Noise noise_;
};

} // namespace sonar
