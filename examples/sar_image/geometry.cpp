#include "geometry.hpp"

#include "process.hpp"
#include "windowed_sinc.hpp"

#include <algorithm>
#include <cmath>

namespace sar {
namespace {

// Samples per Nyquist sample of the columns. The part above 1 is the margin that the interpolator needs.
constexpr double column_oversampling = 1.6;

struct Span {
    double low = INFINITY, high = -INFINITY;

    void include(double value) {
        low = std::min(low, value);
        high = std::max(high, value);
    }
    double width() const { return high - low; }
    double centre() const { return (low + high) / 2; }
};

Frame choose_frame(const Collection &collection) {
    double x = 0, y = 0;
    for (const Pulse &pulse : collection.pulses) {
        const double distance = std::hypot(pulse.x, pulse.y);
        x += pulse.x / distance;
        y += pulse.y / distance;
    }
    const bool range_is_x = std::abs(x) >= std::abs(y);
    return {range_is_x, std::copysign(1.0, range_is_x ? x : y)};
}

LookDirection look_of(const Frame &frame, const Pulse &pulse) {
    constexpr double steepest_slope = 3;
    const FramePoint antenna = frame.from_scene({pulse.x, pulse.y});
    if (!(antenna.range > 0) || std::abs(antenna.cross) > steepest_slope * antenna.range)
        throw Failure(exit_data, "the aperture is too wide for one polar format picture");
    return {antenna.range / std::hypot(pulse.x, pulse.y, pulse.z), antenna.cross / antenna.range};
}

} // namespace

Geometry make_geometry(const Collection &collection, double extent) {
    const Grid &frequency = collection.frequency;
    const double first_wavenumber = two_way_wavenumber(frequency.first);
    const double last_wavenumber = two_way_wavenumber(frequency.last());

    Geometry g{};
    g.frame = choose_frame(collection);
    Span cosine, slope, along, across;
    double farthest = 0;
    for (const Pulse &pulse : collection.pulses) {
        const LookDirection look = look_of(g.frame, pulse);
        g.looks.push_back(look);
        cosine.include(look.range_cosine);
        slope.include(look.slope);
        farthest = std::max(farthest, look.range_cosine * (1 + std::abs(look.slope)) * extent);
        for (const double wavenumber : {first_wavenumber, last_wavenumber}) {
            along.include(wavenumber * look.range_cosine);
            across.include(wavenumber * look.range_cosine * look.slope);
        }
    }

    const double unambiguous_range = speed_of_light / (4 * frequency.step);
    g.pulse_band = farthest / unambiguous_range;
    if (!(g.pulse_band < 1))
        throw Failure(exit_data, "without ambiguity the data show less than " +
                                     std::to_string(extent / g.pulse_band) + " m to each side of the centre");
    if (!(slope.width() > 0))
        throw Failure(exit_data, "all pulses come from one direction");

    const double wavenumber_step = two_way_wavenumber(frequency.step) * cosine.low;
    g.wavenumber = {along.low, wavenumber_step, 1 + static_cast<std::int64_t>(along.width() / wavenumber_step)};
    g.centre_cross_wavenumber = across.centre();

    // A margin at both sides for the interpolator, and for the displacement by curved wavefronts.
    const double column_step = 2 * std::numbers::pi / (column_oversampling * across.width());
    const double half_width = 1.02 * extent + column_step * static_cast<double>(WindowedSinc::taps) / 2;
    const auto half_count = static_cast<std::int64_t>(std::ceil(half_width / column_step));
    g.column = {-static_cast<double>(half_count) * column_step, column_step, 2 * half_count + 1};
    g.column_band = 1 / column_oversampling;

    // Along and across the line of sight, which may differ from the frame's axes.
    const double bandwidth = two_way_wavenumber(frequency.step) * static_cast<double>(frequency.count);
    const double aperture = std::atan(slope.high) - std::atan(slope.low);
    const double ground = cosine.centre() * std::hypot(1.0, slope.centre());
    g.range_resolution = 2 * std::numbers::pi / (bandwidth * ground);
    g.cross_resolution = 4 * std::numbers::pi / ((first_wavenumber + last_wavenumber) * ground * aperture);
    for (const LookDirection &look : g.looks)
        g.sample_count +=
            static_cast<std::int64_t>((last_wavenumber - first_wavenumber) * look.range_cosine / wavenumber_step) +
            1;
    return g;
}

Grid pixel_positions(double extent, std::int64_t pixels) {
    return {-extent, 2 * extent / static_cast<double>(pixels - 1), pixels};
}

} // namespace sar
