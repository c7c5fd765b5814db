#include "scene.hpp"

#include <algorithm>
#include <cmath>

namespace radar {
namespace {

constexpr double noise_deviation = 100; // of each part, in steps of the digitiser

std::int16_t add(std::int16_t sample, float echo) {
    return static_cast<std::int16_t>(std::clamp(std::lrint(static_cast<float>(sample) + echo), -32768L, 32767L));
}

double range_at(const Target &target, double seconds) { return target.range + target.speed * seconds; }

} // namespace

double range_in_frame(const Radar &radar, const Target &target, std::int64_t frame) {
    return range_at(target, (static_cast<double>(frame) + 0.5) * radar.frame_interval());
}

std::vector<Target> usual_targets(const Radar &radar) {
    const double far = radar.range_of(static_cast<double>(radar.ranges));
    const double fast = radar.top_speed();
    return {{0.12 * far, 0.31 * fast, 30},
            {0.35 * far, -0.72 * fast, 32},
            {0.36 * far, 0.55 * fast, 27},
            {0.58 * far, -0.24 * fast, 29},
            {0.81 * far, 0.83 * fast, 28}};
}

Scene::Scene(const Radar &radar, std::vector<Target> targets) : radar_(radar), targets_(std::move(targets)) {
    for (const cfloat sample : noise_source_.table())
        noise_.emplace_back(static_cast<std::int16_t>(std::lrint(noise_deviation * sample.real())),
                            static_cast<std::int16_t>(std::lrint(noise_deviation * sample.imag())));
}

void Scene::fill(std::int64_t frame, std::int64_t first, std::int64_t end, cshort *samples) const {
    for (std::int64_t p = first; p < end; ++p, samples += radar_.ranges * radar_.channels) {
        const std::int64_t pulse = frame * radar_.pulses + p;
        add_noise(pulse, samples);
        for (std::size_t number = 0; number < targets_.size(); ++number)
            add_echo(targets_[number], number, pulse, samples);
    }
}

void Scene::add_noise(std::int64_t pulse, cshort *samples) const {
    const std::int64_t count = radar_.ranges * radar_.channels;
    for (std::int64_t begin = 0; begin < count; begin += common::Noise::run) {
        const auto place = noise_source_.place(static_cast<std::uint64_t>(pulse), begin / common::Noise::run);
        std::copy_n(noise_.begin() + static_cast<std::ptrdiff_t>(place),
                    std::min(common::Noise::run, count - begin), samples + begin);
    }
}

void Scene::add_echo(const Target &target, std::size_t number, std::int64_t pulse, cshort *samples) const {
    const double range = range_at(target, static_cast<double>(pulse) * radar_.pulse_interval());
    const double delay = range / radar_.range_step();
    if (!(delay > -static_cast<double>(radar_.chirp) && delay < static_cast<double>(radar_.ranges)))
        return; // its echo lies outside the samples of the pulse
    const auto gain = static_cast<double>(radar_.chirp * radar_.pulses);
    const double amplitude = noise_deviation * std::sqrt(2 * std::pow(10, target.snr / 10) / gain);
    const double phase = -4 * pi * std::remainder(range / radar_.wavelength(), 1);

    // The phases of the channels increase evenly across the antenna. Each target has its own bearing.
    const double step = pi * std::sin(0.2 + static_cast<double>(number));
    std::vector<cfloat> channels(static_cast<std::size_t>(radar_.channels));
    for (std::size_t c = 0; c < channels.size(); ++c)
        channels[c] = std::complex<float>(std::polar(amplitude, phase + step * static_cast<double>(c)));

    const auto first = static_cast<std::int64_t>(std::max(0.0, std::ceil(delay)));
    const auto end = std::min(radar_.ranges, static_cast<std::int64_t>(std::ceil(delay)) + radar_.chirp);
    for (std::int64_t n = first; n < end; ++n) {
        const cfloat echo = radar_.pulse_at(static_cast<double>(n) - delay);
        cshort *sample = samples + n * radar_.channels;
        for (const cfloat &channel : channels) {
            const cfloat value(echo.real() * channel.real() - echo.imag() * channel.imag(),
                               echo.real() * channel.imag() + echo.imag() * channel.real());
            *sample = {add(sample->real(), value.real()), add(sample->imag(), value.imag())};
            ++sample;
        }
    }
}

} // namespace radar
