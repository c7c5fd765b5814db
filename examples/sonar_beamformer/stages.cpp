#include "stages.hpp"

#include "frame.hpp"
#include "program.hpp"

#include <algorithm>
#include <cmath>

namespace sonar {
namespace {

using common::blocks, common::EndpointDescription, common::whole;

enum Dimension { window, sensor, line }; // of "spectra"

// Time x sensors of a frame.
EndpointDescription series(DRI_Role role, const Options &options, const Roles &roles) {
    const Sonar &sonar = options.sonar;
    return {.name = "series",
            .role = role,
            .type = DRI_COMPLEX_FLOAT,
            .sizes = {sonar.samples + sonar.overlap(), sonar.sensors},
            .cut = {blocks(), whole()},
            .order = {0, 1},
            .ranks = roles.front,
            .buffers = options.buffers};
}

// The samples that a process's windows need, sensor by sensor.
EndpointDescription samples_of_windows(const Options &options, const Roles &roles, const DRI_Part_tuple &windows) {
    const Sonar &sonar = options.sonar;
    const bool empty = windows.left_x == windows.right_x;
    EndpointDescription endpoint = series(DRI_SINK, options, roles);
    endpoint.piece = {{0, windows.left_x * sonar.hop, windows.right_x * sonar.hop, empty ? 0 : sonar.overlap()},
                      {0, 0, sonar.sensors, 0}};
    endpoint.order = {1, 0};
    return endpoint;
}

EndpointDescription spectra(DRI_Role role, const Options &options, const std::vector<int> &ranks) {
    const Sonar &sonar = options.sonar;
    return {.name = "spectra",
            .role = role,
            .type = DRI_COMPLEX_FLOAT,
            .sizes = {sonar.window_count(), sonar.sensors, sonar.window},
            .cut = {whole(), whole(), whole()},
            .order = {window, sensor, line},
            .ranks = ranks,
            .buffers = options.buffers,
            .stream = role == DRI_SOURCE};
}

EndpointDescription spectra_by_windows(const Options &options, const Roles &roles) {
    EndpointDescription endpoint = spectra(DRI_SOURCE, options, roles.front);
    endpoint.cut[window] = blocks();
    return endpoint;
}

EndpointDescription spectra_by_lines(const Options &options, const std::vector<int> &ranks) {
    EndpointDescription endpoint = spectra(DRI_SINK, options, ranks);
    endpoint.cut[line] = blocks();
    endpoint.order = {line, window, sensor};
    return endpoint;
}

EndpointDescription spectra_in_band(const Options &options, const Roles &roles, const Band &band) {
    EndpointDescription endpoint = spectra_by_lines(options, roles.narrow);
    endpoint.box_begin = {0, 0, band.first};
    endpoint.box_sizes = {endpoint.sizes[window], endpoint.sizes[sensor], band.end - band.first};
    return endpoint;
}

// The sums of each process of the broad band.
EndpointDescription bearing_sums(DRI_Role role, const Options &options, const Roles &roles) {
    return {.name = "bearings",
            .role = role,
            .type = DRI_FLOAT,
            .sizes = {static_cast<std::int64_t>(roles.broad.size()), options.sonar.window_count(), bearing_count},
            .cut = {role == DRI_SOURCE ? blocks() : whole(), whole(), whole()},
            .order = {0, 1, 2},
            .ranks = role == DRI_SOURCE ? roles.broad : roles.display,
            .buffers = options.buffers,
            .stream = role == DRI_SOURCE};
}

EndpointDescription line_powers(DRI_Role role, const Options &options, const Roles &roles, const Band &band) {
    return {.name = "lines",
            .role = role,
            .type = DRI_FLOAT,
            .sizes = {band.end - band.first, bearing_count},
            .cut = {role == DRI_SOURCE ? blocks() : whole(), whole()},
            .order = {0, 1},
            .ranks = role == DRI_SOURCE ? roles.narrow : roles.display,
            .buffers = options.buffers,
            .stream = role == DRI_SOURCE};
}

} // namespace

Band narrow_band(const Options &options) {
    const Sonar &sonar = options.sonar;
    const auto line_at = [&](double frequency) {
        const double at = (frequency - sonar.frequency_of(0)) / sonar.frequency_step();
        // The lowest line lies on both edges of the sampled band, so its frequency, hence its bearing, is
        // ambiguous.
        return static_cast<std::int64_t>(std::ceil(std::clamp(at, 1.0, static_cast<double>(sonar.window))));
    };
    const Band band{line_at(options.narrow_low.value_or(sonar.frequency_of(0))),
                    line_at(options.narrow_high.value_or(sonar.centre_frequency))};
    if (band.first >= band.end)
        throw common::Failure(common::exit_usage, "there is no spectral line in the narrow band");
    return band;
}

FrontEnd::FrontEnd(const Options &options, const Roles &roles)
    : sonar_(options.sonar), transform_(options.sonar), spectra_(spectra_by_windows(options, roles)),
      series_(series(DRI_SOURCE, options, roles)),
      windows_(samples_of_windows(options, roles, spectra_.part(window))) {
    if (has_part())
        input_ = std::make_unique<Input>(options);
}

bool FrontEnd::run() {
    spectra_.acquire(); // a frame starts once there is a free buffer for it
    const DRI_Frame about = common::begin_frame();
    const DRI_Part_tuple time = series_.part(0);
    if (!input_->fill(frame_, time.left_x, time.right_x - time.left_x, series_.data<cfloat>())) {
        spectra_.close();
        return false;
    }
    ++frame_;
    common::move_frame("series");

    const std::int64_t windows = spectra_.extent(window), length = windows_.extent(0);
    const cfloat *samples = windows_.data<cfloat>();
    cfloat *lines = spectra_.data<cfloat>();
    for (std::int64_t w = 0; w < windows; ++w)
        for (std::int64_t s = 0; s < sonar_.sensors; ++s, lines += sonar_.window)
            transform_(samples + s * length + w * sonar_.hop, lines);
    spectra_.insert(about);
    return true;
}

BroadBand::BroadBand(const Options &options, const Roles &roles)
    : windows_(options.sonar.window_count()), sensors_(options.sonar.sensors),
      spectra_(spectra_by_lines(options, roles.broad)), bearings_(bearing_sums(DRI_SOURCE, options, roles)),
      beams_(options.sonar, spectra_.part(line).left_x, spectra_.part(line).right_x) {}

bool BroadBand::run() {
    DRI_Frame frame;
    if (!spectra_.next(frame)) {
        bearings_.close();
        return false;
    }
    bearings_.acquire();
    const DRI_Part_tuple part = spectra_.part(line);
    const cfloat *sensors = spectra_.data<cfloat>();
    auto *const power = bearings_.data<float>();
    std::fill_n(power, windows_ * bearing_count, 0.0f);
    for (std::int64_t l = part.left_x; l < part.right_x; ++l)
        for (std::int64_t w = 0; w < windows_; ++w, sensors += sensors_)
            beams_.add_power(l, sensors, 1, power + w * bearing_count);
    bearings_.insert(frame); // the header of the frame is passed on
    return true;
}

NarrowBand::NarrowBand(const Options &options, const Roles &roles, const Band &band)
    : windows_(options.sonar.window_count()), sensors_(options.sonar.sensors), band_begin_(band.first),
      spectra_(spectra_in_band(options, roles, band)), lines_(line_powers(DRI_SOURCE, options, roles, band)),
      beams_(options.sonar, band.first + spectra_.part(line).left_x, band.first + spectra_.part(line).right_x) {}

bool NarrowBand::run() {
    DRI_Frame frame;
    if (!spectra_.next(frame)) {
        lines_.close();
        return false;
    }
    lines_.acquire();
    const DRI_Part_tuple part = spectra_.part(line);
    const cfloat *sensors = spectra_.data<cfloat>();
    auto *power = lines_.data<float>();
    std::fill_n(power, (part.right_x - part.left_x) * bearing_count, 0.0f);
    for (std::int64_t l = part.left_x; l < part.right_x; ++l, power += bearing_count)
        for (std::int64_t w = 0; w < windows_; ++w, sensors += sensors_)
            beams_.add_power(band_begin_ + l, sensors, 1 / static_cast<float>(windows_), power);
    lines_.insert(frame);
    return true;
}

Arrivals::Arrivals(const Options &options, const Roles &roles, const Band &band)
    : bearings_(bearing_sums(DRI_SINK, options, roles)), lines_(line_powers(DRI_SINK, options, roles, band)) {}

bool Arrivals::run() {
    DRI_Frame other{};
    const bool more = bearings_.next(frame_);
    if (lines_.next(other) != more || (more && (other.number != frame_.number || other.time_ns != frame_.time_ns)))
        throw std::logic_error("bearings and lines belong to different frames");
    return more;
}

} // namespace sonar
