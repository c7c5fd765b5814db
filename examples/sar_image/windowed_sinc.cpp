#include "windowed_sinc.hpp"

#include <algorithm>
#include <cmath>

namespace sar {

WindowedSinc::WindowedSinc(double occupied_band) {
    constexpr double half = static_cast<double>(taps) / 2;
    // Beyond this limit a fuller band costs accuracy only at its own edges, not everywhere.
    constexpr double fullest_band = 0.9;
    const double beta = std::numbers::pi * half * (1 - std::min(occupied_band, fullest_band));
    for (std::int64_t phase = 0; phase <= phases; ++phase) {
        double sum = 0;
        double weights[taps];
        for (std::int64_t tap = 0; tap < taps; ++tap) {
            const double x =
                static_cast<double>(tap) - (half - 1) - static_cast<double>(phase) / static_cast<double>(phases);
            const double angle = std::numbers::pi * x;
            const double sinc = x == 0 ? 1 : std::sin(angle) / angle;
            const double window =
                std::cyl_bessel_i(0.0, beta * std::sqrt(std::max(0.0, 1 - x * x / (half * half))));
            weights[tap] = sinc * window;
            sum += weights[tap];
        }
        for (const double weight : weights)
            table_.push_back(static_cast<float>(weight / sum));
    }
}

cfloat WindowedSinc::operator()(std::span<const cfloat> samples, double position) const {
    const double floor = std::floor(position);
    const auto first = static_cast<std::int64_t>(floor) - (taps / 2 - 1);
    const double phase = (position - floor) * static_cast<double>(phases);
    const auto row = std::min(static_cast<std::int64_t>(phase), phases - 1);
    const auto fraction = static_cast<float>(phase - static_cast<double>(row));
    const float *below = table_.data() + row * taps;
    const float *above = below + taps;

    const auto count = static_cast<std::int64_t>(samples.size());
    const std::int64_t begin = std::max<std::int64_t>(0, -first);
    const std::int64_t end = std::min(taps, count - first);
    float real = 0, imaginary = 0;
    for (std::int64_t tap = begin; tap < end; ++tap) {
        const float weight = below[tap] + fraction * (above[tap] - below[tap]);
        const cfloat sample = samples[static_cast<std::size_t>(first + tap)];
        real += weight * sample.real();
        imaginary += weight * sample.imag();
    }
    return {real, imaginary};
}

} // namespace sar
