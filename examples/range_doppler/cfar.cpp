#include "cfar.hpp"

#include "peak.hpp"

#include <algorithm>
#include <cmath>

namespace radar {
namespace {

// The value that a standard normal variable exceeds with this probability.
double upper_normal(double probability) {
    double low = -40, high = 40;
    for (int step = 0; step < 100; ++step) {
        const double middle = (low + high) / 2;
        (std::erfc(middle / std::sqrt(2.0)) / 2 > probability ? low : high) = middle;
    }
    return low;
}

// The cells as the detector sees them: the Doppler dimension is cyclic, the range dimension is not.
class Map {
public:
    Map(const float *power, std::int64_t begin, std::int64_t end, std::int64_t cells)
        : power_(power), begin_(begin), end_(end), cells_(cells) {}

    float at(std::int64_t range, std::int64_t cell) const {
        return range < begin_ || range >= end_ ? 0 : power_[(range - begin_) * cells_ + (cell + cells_) % cells_];
    }
    bool is_peak(std::int64_t range, std::int64_t cell) const {
        const float here = at(range, cell);
        for (std::int64_t dr = -1; dr <= 1; ++dr)
            for (std::int64_t dc = -1; dc <= 1; ++dc) {
                // Of two equal neighbours only the first counts as a peak.
                const float other = at(range + dr, cell + dc);
                if (other > here || (other == here && (dr < 0 || (dr == 0 && dc < 0))))
                    return false;
            }
        return true;
    }
    Detection describe(const Radar &radar, std::int64_t range, std::int64_t cell, double noise) const {
        const float here = at(range, cell);
        const double dr = common::peak_offset(at(range - 1, cell), here, at(range + 1, cell));
        const double dc = common::peak_offset(at(range, cell - 1), here, at(range, cell + 1));
        return {static_cast<float>(radar.range_of(static_cast<double>(range) + dr)),
                static_cast<float>(radar.speed_of(static_cast<double>(cell) + dc)),
                static_cast<float>(10 * std::log10(here / noise))};
    }

private:
    const float *power_;
    std::int64_t begin_, end_, cells_;
};

} // namespace

// A sum of k powers over the mean of n such sums has the F distribution with 2k and 2kn degrees of freedom. Its
// cube root is nearly normal (Wilson and Hilferty, 1931; Paulson, 1942).
double cfar_factor(double probability, std::int64_t channels, std::int64_t cells) {
    const double z = upper_normal(probability);
    const double above = 1.0 / (9.0 * static_cast<double>(channels));
    const double below = above / static_cast<double>(cells);
    // Solves (1 - below) x - (1 - above) = z sqrt(below x^2 + above) for x, the cube root.
    const double a = (1 - below) * (1 - below) - z * z * below;
    const double b = (1 - below) * (1 - above);
    const double c = (1 - above) * (1 - above) - z * z * above;
    if (a <= 0) // too few cells for this probability
        return INFINITY;
    const double root = (b + std::copysign(std::sqrt(std::max(0.0, b * b - a * c)), z)) / a;
    return root * root * root;
}

Cfar::Cfar(const Radar &radar, const CfarSettings &settings) : radar_(radar), settings_(settings) {
    factors_.push_back(INFINITY);
    for (std::int64_t cells = 1; cells <= 2 * settings.training; ++cells)
        factors_.push_back(cfar_factor(settings.false_alarms, radar.channels, cells));
}

std::vector<Detection> Cfar::operator()(const Waveform &waveform, const float *power, std::int64_t held_begin,
                                        std::int64_t held_end, std::int64_t begin, std::int64_t end) {
    radar_.set_waveform(waveform);
    const std::int64_t cells = radar_.pulses, held = held_end - held_begin;
    sums_.assign(static_cast<std::size_t>(held + 1), 0);
    const Map map(power, held_begin, held_end, cells);
    std::vector<Detection> found;
    for (std::int64_t cell = 0; cell < cells; ++cell) {
        for (std::int64_t r = 0; r < held; ++r)
            sums_[static_cast<std::size_t>(r + 1)] =
                sums_[static_cast<std::size_t>(r)] + static_cast<double>(power[r * cells + cell]);
        // Adds the sum and the number of the cells in [low, high), as far as cells exist.
        const auto collect = [&](std::int64_t low, std::int64_t high, double &sum, std::int64_t &count) {
            low = std::clamp(low, held_begin, held_end) - held_begin;
            high = std::clamp(high, held_begin, held_end) - held_begin;
            sum += sums_[static_cast<std::size_t>(high)] - sums_[static_cast<std::size_t>(low)];
            count += high - low;
        };
        for (std::int64_t range = begin; range < end; ++range) {
            double sum = 0;
            std::int64_t count = 0;
            collect(range - settings_.reach(), range - settings_.guard, sum, count);
            collect(range + settings_.guard + 1, range + settings_.reach() + 1, sum, count);
            const double noise = sum / static_cast<double>(std::max<std::int64_t>(count, 1));
            if (static_cast<double>(map.at(range, cell)) > factors_[static_cast<std::size_t>(count)] * noise &&
                map.is_peak(range, cell))
                found.push_back(map.describe(radar_, range, cell, noise));
        }
    }
    return found;
}

} // namespace radar
