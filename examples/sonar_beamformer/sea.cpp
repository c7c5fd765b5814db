#include "sea.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace sonar {
namespace {

constexpr float deviation = 0.01f;              // of the real and imaginary noise of a sample; full scale is 1
constexpr std::int64_t block = 128;             // samples for which a bearing is constant
constexpr std::int64_t taps = 16;               // of the interpolation
constexpr std::uint64_t first_source = 1 << 20; // the streams before it are the sensors' noise

double amplitude_of(double snr) { return deviation * std::sqrt(2 * std::pow(10, snr / 10)); }

// Weights that interpolate a band-limited signal at `part` of a step behind the middle tap: a sinc under a Hann
// window.
std::array<float, taps> interpolation(double part) {
    std::array<float, taps> weights{};
    for (std::int64_t k = 0; k < taps; ++k) {
        const double x = static_cast<double>(k - taps / 2 + 1) - part;
        const double sinc = x == 0 ? 1 : std::sin(pi * x) / (pi * x);
        weights[static_cast<std::size_t>(k)] =
            static_cast<float>(sinc * (0.5 + 0.5 * std::cos(2 * pi * x / static_cast<double>(taps))));
    }
    return weights;
}

cfloat turned(double amplitude, double turns) {
    return cfloat(std::polar(amplitude, 2 * pi * std::remainder(turns, 1)));
}

} // namespace

double bearing_at(const Source &source, double seconds) { return source.bearing + source.rate * seconds; }

Sea::Sea(const Sonar &sonar, std::vector<Source> sources, std::vector<Tone> tones)
    : sonar_(sonar), sources_(std::move(sources)), tones_(std::move(tones)) {}

void Sea::fill(std::int64_t first, std::int64_t count, cfloat *samples) const {
    noise_.copy(0, first * sonar_.sensors, count * sonar_.sensors, samples);
    for (std::int64_t i = 0; i < count * sonar_.sensors; ++i)
        samples[i] *= deviation;
    // Uses the blocks of the whole stream, so that no bearing depends on which samples are requested.
    for (std::int64_t begin = first; begin < first + count;) {
        const std::int64_t end = std::min(first + count, (begin / block + 1) * block);
        cfloat *const here = samples + (begin - first) * sonar_.sensors;
        for (std::size_t number = 0; number < sources_.size(); ++number)
            add_source(number, begin, end - begin, here);
        for (const Tone &tone : tones_)
            add_tone(tone, begin, end - begin, here);
        begin = end;
    }
}

void Sea::add_source(std::size_t number, std::int64_t first, std::int64_t count, cfloat *samples) const {
    const Source &source = sources_[number];
    const double seconds = static_cast<double>(first / block * block) / sonar_.sample_rate;
    const double bearing = bearing_at(source, seconds);
    const double amplitude = amplitude_of(source.snr) / std::sqrt(2.0); // the noise has a power of 2
    std::vector<cfloat> wave(static_cast<std::size_t>(count + taps));
    for (std::int64_t sensor = 0; sensor < sonar_.sensors; ++sensor) {
        const double lead = sonar_.lead_of(sensor, bearing);
        const double steps = lead * sonar_.sample_rate, whole = std::floor(steps);
        const auto weights = interpolation(steps - whole);
        const cfloat carrier = turned(amplitude, sonar_.centre_frequency * lead);
        noise_.copy(first_source + number, first + static_cast<std::int64_t>(whole) - taps / 2 + 1, count + taps,
                    wave.data());
        for (std::int64_t n = 0; n < count; ++n) {
            cfloat value = 0;
            for (std::int64_t k = 0; k < taps; ++k)
                value += weights[static_cast<std::size_t>(k)] * wave[static_cast<std::size_t>(n + k)];
            samples[n * sonar_.sensors + sensor] += carrier * value;
        }
    }
}

void Sea::add_tone(const Tone &tone, std::int64_t first, std::int64_t count, cfloat *samples) const {
    std::vector<cfloat> sensors;
    for (std::int64_t sensor = 0; sensor < sonar_.sensors; ++sensor)
        sensors.push_back(turned(amplitude_of(tone.snr), tone.frequency * sonar_.lead_of(sensor, tone.bearing)));
    const double step = (tone.frequency - sonar_.centre_frequency) / sonar_.sample_rate;
    for (std::int64_t n = 0; n < count; ++n) {
        const cfloat wave = turned(1, step * static_cast<double>(first + n));
        for (const cfloat &sensor : sensors)
            *samples++ += wave * sensor;
    }
}

} // namespace sonar
