#include "stages.hpp"

#include "frame.hpp"
#include "program.hpp"

#include <algorithm>
#include <cmath>

namespace sonar {
namespace {

using dri::whole;

enum Dimension { window, sensor, line }; // of "spectra"

// Time x sensors of a frame.
dri::Gdo<cfloat, 2> series(const Sonar &sonar) {
    return dri::Gdo<cfloat, 2>(sonar.samples + sonar.overlap(), sonar.sensors);
}

// The samples that a process's windows need.
dri::Dist<cfloat, 2> samples_of_windows(const Sonar &sonar, const Roles &roles, const DRI_Part_tuple &windows) {
    const std::int64_t overlap = windows.left_x == windows.right_x ? 0 : sonar.overlap();
    return {series(sonar),
            dri::pieces(
                {{0, windows.left_x * sonar.hop, windows.right_x * sonar.hop, overlap}, {0, 0, sonar.sensors, 0}}),
            dri::Group(roles.front)};
}

dri::Gdo<cfloat, 3> spectra(const Sonar &sonar) {
    return dri::Gdo<cfloat, 3>(sonar.window_count(), sonar.sensors, sonar.window);
}

dri::Dist<cfloat, 3> spectra_by_lines(const dri::Gdo<cfloat, 3> &lines, const std::vector<int> &ranks) {
    return {lines, {whole(), whole(), dri::block()}, dri::Group(ranks)};
}

dri::Options lines_first(const Options &options) {
    return {.layout = {line, window, sensor}, .buffers = options.buffers};
}

dri::Gdo<cfloat, 3> spectra_in_band(const Sonar &sonar, const Band &band) {
    return spectra(sonar).subset({0, 0, band.first}, {sonar.window_count(), sonar.sensors, band.end - band.first});
}

// The sums of each process of the broad band.
dri::Dist<float, 3> bearing_sums(const Options &options, const Roles &roles, const dri::Cut &cut,
                                 const std::vector<int> &ranks) {
    return {dri::Gdo<float, 3>(roles.broad.size(), options.sonar.window_count(), bearing_count),
            {cut, whole(), whole()},
            dri::Group(ranks)};
}

dri::Dist<float, 2> line_powers(const Band &band, const dri::Cut &cut, const std::vector<int> &ranks) {
    return {dri::Gdo<float, 2>(band.end - band.first, bearing_count), {cut, whole()}, dri::Group(ranks)};
}

// What a process owns along a dimension; nothing without an endpoint.
template <typename Endpoint> DRI_Part_tuple part_of(const Endpoint &endpoint, int dim) {
    return endpoint ? endpoint.dist().tuples()[static_cast<std::size_t>(dim)] : DRI_Part_tuple{};
}

// Gives the last frame back and takes the next one. False after the last one.
template <typename Endpoint, typename Frame> bool take_next(Endpoint &sink, std::optional<Frame> &frame) {
    if (frame)
        sink.release();
    frame = sink.extract();
    return frame.has_value();
}

// Frames that were handed over still arrive, whatever the process does next.
template <typename Endpoint> void close(Endpoint &source) {
    source.close();
    source = {};
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
    : sonar_(options.sonar), transform_(options.sonar),
      spectra_("spectra", dri::Dist(spectra(sonar_), {dri::block(), whole(), whole()}, dri::Group(roles.front)),
               {.buffers = options.buffers, .stream = true}),
      series_("series", dri::Dist(series(sonar_), {dri::block(), whole()}, dri::Group(roles.front)),
              {.buffers = options.buffers}),
      windows_("series", samples_of_windows(sonar_, roles, part_of(spectra_, window)),
               {.layout = dri::col_major, .buffers = options.buffers}) { // sensor by sensor
    if (has_part())
        input_ = std::make_unique<Input>(options);
}

bool FrontEnd::run() {
    const auto spectra = spectra_.next(); // a frame starts once there is a free buffer for it
    const dri::Frame about = common::begin_frame();
    const DRI_Part_tuple time = part_of(series_, 0);
    if (!input_->fill(frame_, time.left_x, time.right_x - time.left_x, series_.buffer().data())) {
        close(spectra_);
        return false;
    }
    ++frame_;
    dri::run("series");

    const std::int64_t windows = spectra.extent(window), length = windows_.extent(0);
    const cfloat *samples = windows_.buffer().data();
    cfloat *lines = spectra.data();
    for (std::int64_t w = 0; w < windows; ++w)
        for (std::int64_t s = 0; s < sonar_.sensors; ++s, lines += sonar_.window)
            transform_(samples + s * length + w * sonar_.hop, lines);
    spectra_.insert(about);
    return true;
}

BroadBand::BroadBand(const Options &options, const Roles &roles)
    : windows_(options.sonar.window_count()), sensors_(options.sonar.sensors),
      spectra_("spectra", spectra_by_lines(spectra(options.sonar), roles.broad), lines_first(options)),
      bearings_("bearings", bearing_sums(options, roles, dri::block(), roles.broad),
                {.buffers = options.buffers, .stream = true}),
      part_(part_of(spectra_, line)), beams_(options.sonar, part_.left_x, part_.right_x) {}

bool BroadBand::run() {
    if (!take_next(spectra_, frame_)) {
        close(bearings_);
        return false;
    }
    const cfloat *sensors = frame_->data();
    auto *const power = bearings_.next().data();
    std::fill_n(power, windows_ * bearing_count, 0.0f);
    for (std::int64_t l = part_.left_x; l < part_.right_x; ++l)
        for (std::int64_t w = 0; w < windows_; ++w, sensors += sensors_)
            beams_.add_power(l, sensors, 1, power + w * bearing_count);
    bearings_.insert(frame_->frame()); // what came with the frame is passed on
    return true;
}

NarrowBand::NarrowBand(const Options &options, const Roles &roles, const Band &band)
    : windows_(options.sonar.window_count()), sensors_(options.sonar.sensors), band_begin_(band.first),
      spectra_("spectra", spectra_by_lines(spectra_in_band(options.sonar, band), roles.narrow),
               lines_first(options)),
      lines_("lines", line_powers(band, dri::block(), roles.narrow), {.buffers = options.buffers, .stream = true}),
      part_(part_of(spectra_, line)),
      beams_(options.sonar, band.first + part_.left_x, band.first + part_.right_x) {}

bool NarrowBand::run() {
    if (!take_next(spectra_, frame_)) {
        close(lines_);
        return false;
    }
    const cfloat *sensors = frame_->data();
    auto *power = lines_.next().data();
    std::fill_n(power, (part_.right_x - part_.left_x) * bearing_count, 0.0f);
    for (std::int64_t l = part_.left_x; l < part_.right_x; ++l, power += bearing_count)
        for (std::int64_t w = 0; w < windows_; ++w, sensors += sensors_)
            beams_.add_power(band_begin_ + l, sensors, 1 / static_cast<float>(windows_), power);
    lines_.insert(frame_->frame());
    return true;
}

Arrivals::Arrivals(const Options &options, const Roles &roles, const Band &band)
    : bearings_("bearings", bearing_sums(options, roles, whole(), roles.display), {.buffers = options.buffers}),
      lines_("lines", line_powers(band, whole(), roles.display), {.buffers = options.buffers}) {}

bool Arrivals::run() {
    const bool more = take_next(bearings_, got_bearings_), more_lines = take_next(lines_, got_lines_);
    if (more != more_lines ||
        (more && (got_lines_->frame().number != frame().number || got_lines_->frame().time != frame().time)))
        throw std::logic_error("bearings and lines belong to different frames");
    return more;
}

} // namespace sonar
