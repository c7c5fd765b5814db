// What the simulated radar sees: point targets in noise.
#pragma once

#include "noise.hpp"
#include "radar.hpp"

namespace radar {

struct Target {
    double range; // m, at the beginning
    double speed; // m/s, positive away from the radar
    double snr;   // dB, of one channel after both transforms, losses left out
};

// Where a target is in the middle of a frame, in m.
double range_in_frame(const Radar &radar, const Target &target, std::int64_t frame);

// Some targets that lie well inside what the radar can tell.
std::vector<Target> usual_targets(const Radar &radar);

class Scene {
public:
    Scene(const Radar &radar, std::vector<Target> targets);

    // The pulses [first, end) of a frame, as they come from the digitisers: [pulse][range][channel]. The same
    // samples whichever process asks for them.
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
