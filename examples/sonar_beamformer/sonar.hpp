// The sonar: a line of sensors in water, and the meaning of its numbers. README.md has the formulae.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>

namespace sonar {

using cfloat = std::complex<float>;

inline constexpr double pi = std::numbers::pi;
inline constexpr double sound = 1500; // m/s
inline constexpr int bearing_count = 181;

// A frame has `samples` new samples of each sensor, and the following samples that its last windows need.
struct Sonar {
    std::int64_t sensors = 32;
    double spacing = 0.25;       // m
    std::int64_t samples = 4096; // a multiple of the hop
    std::int64_t window = 256, hop = 128;
    double sample_rate = 2000;      // Hz, complex samples
    double centre_frequency = 2000; // Hz

    std::int64_t overlap() const { return window - hop; }
    std::int64_t window_count() const { return samples / hop; } // of a frame
    double hop_seconds() const { return static_cast<double>(hop) / sample_rate; }
    double frame_seconds() const { return static_cast<double>(samples) / sample_rate; }

    // Frequencies increase with the line's number; fractions lie between lines.
    double frequency_step() const { return sample_rate / static_cast<double>(window); }
    double frequency_of(double line) const {
        const std::int64_t middle = window / 2; // the line of the centre frequency
        return centre_frequency + (line - static_cast<double>(middle)) * frequency_step();
    }
    // Position of a sensor in m, from the middle of the line of sensors.
    double place_of(std::int64_t sensor) const {
        return (static_cast<double>(sensor) - static_cast<double>(sensors - 1) / 2) * spacing;
    }
    // Seconds by which a plane wave reaches a sensor before the middle.
    double lead_of(std::int64_t sensor, double bearing) const {
        return place_of(sensor) * std::sin(bearing * pi / 180) / sound;
    }
};

// Degrees from broadside, positive towards the last sensor; fractions lie between beams.
inline double bearing_of(double beam) { return beam - (bearing_count - 1) / 2.0; }

} // namespace sonar
