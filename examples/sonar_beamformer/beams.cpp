#include "beams.hpp"

#include <algorithm>
#include <cmath>

namespace sonar {

Beams::Beams(const Sonar &sonar, std::int64_t first, std::int64_t end)
    : first_(first), sensors_(sonar.sensors), sum_real_(bearing_count), sum_imaginary_(bearing_count) {
    std::vector<double> weights;
    double power = 0;
    for (std::int64_t s = 0; s < sensors_; ++s) {
        const double part = (static_cast<double>(s) + 0.5) / static_cast<double>(sensors_);
        weights.push_back(0.54 - 0.46 * std::cos(2 * pi * part));
        power += weights.back() * weights.back();
    }
    const auto count = static_cast<std::size_t>(std::max<std::int64_t>(0, end - first) * sensors_) * bearing_count;
    real_.reserve(count);
    imaginary_.reserve(count);
    for (std::int64_t line = first; line < end; ++line) {
        const double frequency = sonar.frequency_of(static_cast<double>(line));
        for (std::int64_t s = 0; s < sensors_; ++s) {
            const double weight = weights[static_cast<std::size_t>(s)] / std::sqrt(power);
            for (int beam = 0; beam < bearing_count; ++beam) {
                const double turns = -frequency * sonar.lead_of(s, bearing_of(beam));
                const auto factor = std::polar(weight, 2 * pi * std::remainder(turns, 1));
                real_.push_back(static_cast<float>(factor.real()));
                imaginary_.push_back(static_cast<float>(factor.imag()));
            }
        }
    }
}

void Beams::add_power(std::int64_t line, const cfloat *sensors, float scale, float *power) {
    std::fill(sum_real_.begin(), sum_real_.end(), 0.0f);
    std::fill(sum_imaginary_.begin(), sum_imaginary_.end(), 0.0f);
    const auto place = static_cast<std::size_t>((line - first_) * sensors_) * bearing_count;
    const float *re = real_.data() + place, *im = imaginary_.data() + place;
    for (std::int64_t s = 0; s < sensors_; ++s, re += bearing_count, im += bearing_count) {
        const float a = sensors[s].real(), b = sensors[s].imag();
        for (std::size_t beam = 0; beam < bearing_count; ++beam) {
            sum_real_[beam] += re[beam] * a - im[beam] * b;
            sum_imaginary_[beam] += re[beam] * b + im[beam] * a;
        }
    }
    for (std::size_t beam = 0; beam < bearing_count; ++beam)
        power[beam] += scale * (sum_real_[beam] * sum_real_[beam] + sum_imaginary_[beam] * sum_imaginary_[beam]);
}

} // namespace sonar
