// The phase history: the radar's measurements and positions.
#pragma once

#include <complex>
#include <cstdint>
#include <numbers>
#include <vector>

namespace sar {

using cfloat = std::complex<float>;

inline constexpr double speed_of_light = 299792458.0; // m/s

// Evenly spaced values: first, first + step, ...
struct Grid {
    double first = 0;
    double step = 0;
    std::int64_t count = 0;

    double at(std::int64_t i) const { return first + step * static_cast<double>(i); }
    double last() const { return at(count - 1); }
    double index_of(double value) const { return (value - first) / step; }
};

// Position of the antenna in metres from the scene's centre (z is upward), and its autofocus corrections.
struct Pulse {
    double x, y, z;
    double range_correction; // m
    double phase_correction; // rad
};

// Everything except the samples. It is small, and every process has it.
struct Collection {
    Grid frequency; // Hz
    std::vector<Pulse> pulses;

    std::int64_t pulse_count() const { return static_cast<std::int64_t>(pulses.size()); }
};

// A ground point p = (x, y, 0) of amplitude A adds A exp(-j 4 pi f (|antenna - p| - |antenna|) / c).
struct PhaseHistory {
    Collection collection;
    std::vector<cfloat> samples; // [pulse][frequency]
};

// Wavenumber of the two-way path, rad/m.
constexpr double two_way_wavenumber(double frequency) { return 4 * std::numbers::pi * frequency / speed_of_light; }

// Collective. Copies the first process's collection to every process.
void broadcast(Collection &collection);

} // namespace sar
