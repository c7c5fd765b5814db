// A scene of point targets for a run without data.
#pragma once

#include "phase_history.hpp"

#include <span>

namespace sar {

struct Target {
    double x, y; // m, on the ground
    double amplitude;
};

std::span<const Target> simulated_targets();

// The exact phase history of the targets: X-band, four degrees of azimuth from 10 km.
PhaseHistory simulate_phase_history();

} // namespace sar
