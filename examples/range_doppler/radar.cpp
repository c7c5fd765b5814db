#include "radar.hpp"

#include <algorithm>
#include <cmath>

namespace radar {
namespace {

constexpr double light = 299792458; // m/s
constexpr double band = 0.8;        // the chirp's bandwidth as a fraction of the sample rate

} // namespace

double Radar::pulse_interval() const {
    return std::max(1 / repetition_rate, static_cast<double>(ranges + chirp) / sample_rate);
}

double Radar::wavelength() const { return light / carrier; }

double Radar::range_step() const { return light / (2 * sample_rate); }

double Radar::speed_step() const { return wavelength() / (2 * frame_interval()); }

double Radar::top_speed() const { return speed_step() * static_cast<double>(pulses) / 2; }

double Radar::speed_of(double cell) const {
    const auto count = static_cast<double>(pulses);
    return -speed_step() * (cell - count * std::round(cell / count));
}

cfloat Radar::pulse_at(double sample) const {
    const auto length = static_cast<double>(chirp);
    if (sample < 0 || sample >= length)
        return 0;
    const double from_middle = sample - (length - 1) / 2;
    const double phase = pi * band / length * from_middle * from_middle;
    return {static_cast<float>(std::cos(phase)), static_cast<float>(std::sin(phase))};
}

std::vector<float> hamming(std::int64_t length) {
    std::vector<float> taper(static_cast<std::size_t>(length), 1);
    for (std::size_t i = 0; i < taper.size(); ++i)
        taper[i] = static_cast<float>(
            0.54 - 0.46 * std::cos(2 * pi * (static_cast<double>(i) + 0.5) / static_cast<double>(length)));
    return taper;
}

} // namespace radar
