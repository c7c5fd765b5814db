#include "stages.hpp"

#include "frame.hpp"
#include "program.hpp"

#include <algorithm>

namespace radar {
namespace {

using dri::block, dri::whole;

enum Dimension { channel, pulse, range }; // of a frame

dri::Index<3> cube(const Options &options) {
    return {options.radar.channels, options.radar.pulses, options.radar.ranges};
}

template <typename Element>
dri::Dist<Element, 3> distribute(const Options &options, const dri::Partition<3> &cuts,
                                 const std::vector<int> &ranks) {
    return {dri::Gdo<Element, 3>(cube(options)), cuts, dri::Group(ranks)};
}

// A sink of floats whose source has the integers of a digitiser.
dri::Options as_floats(const Options &options, const dri::Layout &layout) {
    return {.layout = layout, .buffers = options.buffers, .convert = true, .scale = 1 / full_scale};
}

// One record per process of the Doppler stage.
dri::Dist<Report, 1> report_list(const Roles &roles, const dri::Cut &cut, const std::vector<int> &ranks) {
    return {dri::Gdo<Report, 1>(roles.doppler.size()), {cut}, dri::Group(ranks)};
}

dri::Dist<float, 2> power_map(const Options &options, const dri::Cut &cut, const std::vector<int> &ranks) {
    return {dri::Gdo<float, 2>(options.radar.ranges, options.radar.pulses), {cut, whole()}, dri::Group(ranks)};
}

DRI_Part_tuple ranges_of(const dri::Sink<cfloat, 3> &turn) {
    return turn ? turn.dist().tuples()[range] : DRI_Part_tuple{};
}

} // namespace

void write_report(std::int64_t frame, std::vector<Detection> found, Report &report) {
    std::sort(found.begin(), found.end(), [](const auto &a, const auto &b) { return a.snr > b.snr; });
    report = {};
    report.frame = frame;
    report.found = static_cast<std::int64_t>(found.size());
    std::copy_n(found.begin(), std::min(found.size(), Report::capacity), report.strongest);
}

// Pulses arrive as the digitisers deliver them: for each range all channels.
FrontEnd::FrontEnd(const Options &options, const Roles &roles)
    : radar_(options.radar), compress_(options.radar),
      samples_("samples", distribute<cshort>(options, {whole(), block(), whole()}, roles.front),
               {.layout = {pulse, range, channel}, .buffers = options.buffers}),
      lines_("samples",
             distribute<cfloat>(
                 options,
                 {whole(), whole(),
                  block().overlap(0, options.radar.chirp - 1).edges(dri::Edge::truncate, dri::Edge::zero)},
                 roles.front),
             as_floats(options, dri::row_major)),
      turn_("turn", distribute<cshort>(options, {whole(), whole(), block()}, roles.front),
            {.buffers = options.buffers, .stream = true}) {
    if (has_part())
        input_ = std::make_unique<Input>(options);
}

bool FrontEnd::run() {
    const auto compressed = turn_.next(); // a frame starts once there is a free buffer for it
    const dri::Frame about = common::begin_frame(input_->waveform());
    const DRI_Part_tuple pulses = samples_.dist().tuples()[pulse];
    if (!input_->fill(frame_, pulses.left_x, pulses.right_x, samples_.buffer().data())) {
        turn_.close();
        turn_ = {}; // frames that were handed over still arrive, whatever this process does next
        return false;
    }
    ++frame_;
    dri::run("samples");
    if (const std::int64_t count = compressed.extent(range); count > 0)
        compress_.lines(lines_.buffer().data(), radar_.channels * radar_.pulses, lines_.extent(range), count,
                        compressed.data());
    turn_.insert(about);
    return true;
}

std::span<const cfloat> FrontEnd::lines() const {
    return has_part() ? lines_.buffer().span() : std::span<const cfloat>();
}

DopplerStage::DopplerStage(const Options &options, const Roles &roles)
    : turn_("turn",
            distribute<cfloat>(options,
                               {whole(), whole(), block().overlap(options.cfar.reach(), options.cfar.reach())},
                               roles.doppler),
            as_floats(options, {range, channel, pulse})),
      detections_("detections", report_list(roles, block(), roles.doppler),
                  {.buffers = options.buffers, .stream = true}),
      map_("map", power_map(options, block(), roles.doppler)), detect_(options, ranges_of(turn_)) {}

bool DopplerStage::run() {
    if (cube_)
        turn_.release();
    cube_ = turn_.extract();
    if (!cube_) {
        detections_.close();
        detections_ = {};
        return false;
    }
    detect_(cube_->frame(), cube_->data(), *detections_.next().data());
    detections_.insert(cube_->frame()); // what came with the frame is passed on
    return true;
}

void DopplerStage::hand_over_map() { std::ranges::copy(detect_.map(), map_.buffer().data()); }

std::span<const cfloat> DopplerStage::pulses() const { return cube_ ? cube_->span() : std::span<const cfloat>(); }

Arrivals::Arrivals(const Options &options, const Roles &roles)
    : detections_("detections", report_list(roles, whole(), roles.tracker), {.buffers = options.buffers}),
      map_("map", power_map(options, whole(), roles.tracker)) {}

bool Arrivals::run() {
    if (received_)
        detections_.release();
    received_ = detections_.extract();
    return received_.has_value();
}

} // namespace radar
