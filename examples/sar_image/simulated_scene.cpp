#include "simulated_scene.hpp"

#include <array>
#include <cmath>

namespace sar {
namespace {

constexpr std::array targets{
    Target{0.0, 0.0, 0.50},     Target{-15.6, 21.6, 1.00},   Target{-27.83, 38.77, 0.71},
    Target{44.31, 44.12, 0.63}, Target{45.05, -44.47, 0.56}, Target{-45.22, -45.38, 0.45},
    Target{-44.61, 7.93, 0.35}, Target{12.47, -31.09, 0.80}, Target{15.52, -31.09, 0.40},
    Target{31.26, 12.71, 0.32},
};

constexpr Grid frequency{9.288080384e9, 1.4713016e6, 424};
constexpr std::int64_t pulse_count = 469;
constexpr double ground_range = 7089.0; // m
constexpr double height = 7276.0;       // m
constexpr double aperture = 4.0 * std::numbers::pi / 180;

} // namespace

std::span<const Target> simulated_targets() { return targets; }

PhaseHistory simulate_phase_history() {
    PhaseHistory history;
    history.collection.frequency = frequency;
    for (std::int64_t n = 0; n < pulse_count; ++n) {
        const double azimuth = aperture * static_cast<double>(n) / static_cast<double>(pulse_count - 1);
        const Pulse pulse{ground_range * std::cos(azimuth), ground_range * std::sin(azimuth), height, 0, 0};
        history.collection.pulses.push_back(pulse);
        std::array<double, targets.size()> range;
        for (std::size_t t = 0; t < targets.size(); ++t)
            range[t] = std::hypot(pulse.x - targets[t].x, pulse.y - targets[t].y, pulse.z) -
                       std::hypot(pulse.x, pulse.y, pulse.z);
        for (std::int64_t i = 0; i < frequency.count; ++i) {
            const double wavenumber = two_way_wavenumber(frequency.at(i));
            std::complex<double> sample = 0;
            for (std::size_t t = 0; t < targets.size(); ++t)
                sample += std::polar(targets[t].amplitude, -wavenumber * range[t]);
            history.samples.emplace_back(sample);
        }
    }
    return history;
}

} // namespace sar
