// The scene of the simulated radar: point targets in noise.
#pragma once

#include "noise.hpp"
#include "radar.hpp"

namespace radar {

struct Target {
    double range; // m, at the start
    double speed; // m/s, positive away from the radar
    double snr;   // dB, of one channel after both transforms, without losses
};

// Range of a target in the middle of a frame, in m.
double range_in_frame(const Radar &radar, const Target &target, std::int64_t frame);

// Default targets, which lie well within the radar's ranges and speeds.
std::vector<Target> usual_targets(const Radar &radar);

class Scene {
public:
    Scene(const Radar &radar, std::vector<Target> targets);

    // Simulates the pulses [first, end) of a frame, as the digitisers deliver them: [pulse][range][channel]. The
    // samples are the same on each process.
    void fill(std::int64_t frame, std::int64_t first, std::int64_t end, cshort *samples) const;

private:
    void add_noise(std::int64_t pulse, cshort *samples) const;
    void add_echo(const Target &target, std::size_t number, std::int64_t pulse, cshort *samples) const;

    Radar radar_;
    std::vector<Target> targets_;
    common::Noise noise_source_;
    std::vector<cshort> noise_; // its table in steps of the digitiser
};

} // namespace radar
