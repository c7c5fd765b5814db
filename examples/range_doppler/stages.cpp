#include "stages.hpp"

#include "frame.hpp"
#include "program.hpp"

#include <algorithm>

namespace radar {
namespace {

using common::blocks, common::check, common::EndpointDescription, common::whole;

enum Dimension { channel, pulse, range }; // of a frame

EndpointDescription cube(const char *name, DRI_Role role, const Options &options, const std::vector<int> &ranks) {
    const Radar &radar = options.radar;
    return {.name = name,
            .role = role,
            .type = DRI_COMPLEX_INT16,
            .sizes = {radar.channels, radar.pulses, radar.ranges},
            .cut = {whole(), whole(), whole()},
            .order = {channel, pulse, range},
            .ranks = ranks,
            .buffers = options.buffers};
}

EndpointDescription as_floats(EndpointDescription endpoint) {
    endpoint.type = DRI_COMPLEX_FLOAT;
    endpoint.convert = true;
    endpoint.scale = 1 / full_scale;
    return endpoint;
}

// Pulses as the digitisers deliver them: for each range all channels.
EndpointDescription arriving_pulses(const Options &options, const Roles &roles) {
    EndpointDescription endpoint = cube("samples", DRI_SOURCE, options, roles.front);
    endpoint.cut[pulse] = blocks();
    endpoint.order = {pulse, range, channel};
    return endpoint;
}

EndpointDescription lines_to_compress(const Options &options, const Roles &roles) {
    EndpointDescription endpoint = as_floats(cube("samples", DRI_SINK, options, roles.front));
    endpoint.cut[range] = blocks(0, options.radar.chirp - 1);
    endpoint.cut[range].right_edge = DRI_PAD_ZERO;
    return endpoint;
}

EndpointDescription compressed_lines(const Options &options, const Roles &roles) {
    EndpointDescription endpoint = cube("turn", DRI_SOURCE, options, roles.front);
    endpoint.cut[range] = blocks();
    endpoint.stream = true;
    return endpoint;
}

EndpointDescription lines_of_pulses(const Options &options, const Roles &roles) {
    EndpointDescription endpoint = as_floats(cube("turn", DRI_SINK, options, roles.doppler));
    endpoint.cut[range] = blocks(options.cfar.reach(), options.cfar.reach());
    endpoint.order = {range, channel, pulse};
    return endpoint;
}

// One record per process of the Doppler stage.
EndpointDescription report_list(DRI_Role role, DRI_Type type, const Options &options, const Roles &roles,
                                const std::vector<int> &ranks) {
    return {.name = "detections",
            .role = role,
            .type = type,
            .sizes = {static_cast<std::int64_t>(roles.doppler.size())},
            .cut = {role == DRI_SOURCE ? blocks() : whole()},
            .order = {0},
            .ranks = ranks,
            .buffers = options.buffers,
            .stream = role == DRI_SOURCE};
}

EndpointDescription power_map(DRI_Role role, const Options &options, const std::vector<int> &ranks) {
    return {.name = "map",
            .role = role,
            .type = DRI_FLOAT,
            .sizes = {options.radar.ranges, options.radar.pulses},
            .cut = {role == DRI_SOURCE ? blocks() : whole(), whole()},
            .order = {0, 1},
            .ranks = ranks,
            .buffers = 1};
}

template <typename Record> DRI_Type record() {
    DRI_Type type;
    check(DRI_type_create(sizeof(Record), alignof(Record), &type));
    return type;
}

std::span<const cfloat> values(const common::TransferEndpoint &endpoint) {
    const std::int64_t count = endpoint.extent(channel) * endpoint.extent(pulse) * endpoint.extent(range);
    return {endpoint.data<cfloat>(), static_cast<std::size_t>(count)};
}

} // namespace

void write_report(std::int64_t frame, std::vector<Detection> found, Report &report) {
    std::sort(found.begin(), found.end(), [](const auto &a, const auto &b) { return a.snr > b.snr; });
    report = {};
    report.frame = frame;
    report.found = static_cast<std::int64_t>(found.size());
    std::copy_n(found.begin(), std::min(found.size(), Report::capacity), report.strongest);
}

FrontEnd::FrontEnd(const Options &options, const Roles &roles)
    : radar_(options.radar), compress_(options.radar), samples_(arriving_pulses(options, roles)),
      lines_(lines_to_compress(options, roles)), turn_(compressed_lines(options, roles)) {
    if (has_part())
        input_ = std::make_unique<Input>(options);
}

bool FrontEnd::run() {
    turn_.acquire(); // a frame starts once there is a free buffer for it
    const DRI_Frame about = common::begin_frame(input_->waveform());
    const DRI_Part_tuple pulses = samples_.part(pulse);
    if (!input_->fill(frame_, pulses.left_x, pulses.right_x, samples_.data<cshort>())) {
        turn_.close();
        return false;
    }
    ++frame_;
    common::move_frame("samples");

    const std::int64_t count = turn_.extent(range), lines = radar_.channels * radar_.pulses;
    if (count > 0)
        compress_.lines(lines_.data<cfloat>(), lines, lines_.extent(range), count, turn_.data<cshort>());
    turn_.insert(about);
    return true;
}

std::span<const cfloat> FrontEnd::lines() const { return values(lines_); }

DopplerStage::DopplerStage(const Options &options, const Roles &roles)
    : turn_(lines_of_pulses(options, roles)),
      detections_(report_list(DRI_SOURCE, record<Report>(), options, roles, roles.doppler)),
      map_(power_map(DRI_SOURCE, options, roles.doppler)), detect_(options, turn_.part(range)) {}

bool DopplerStage::run() {
    DRI_Frame frame;
    if (!turn_.next(frame)) {
        detections_.close();
        return false;
    }
    detections_.acquire();
    detect_(frame, turn_.data<cfloat>(), *detections_.data<Report>());
    detections_.insert(frame); // the header of the frame is passed on
    return true;
}

void DopplerStage::hand_over_map() { std::ranges::copy(detect_.map(), map_.data<float>()); }

std::span<const cfloat> DopplerStage::pulses() const { return values(turn_); }

Arrivals::Arrivals(const Options &options, const Roles &roles)
    : report_count_(roles.doppler.size()),
      detections_(report_list(DRI_SINK, record<Report>(), options, roles, roles.tracker)),
      map_(power_map(DRI_SINK, options, roles.tracker)) {}

bool Arrivals::run() { return detections_.next(frame_); }

std::span<const Report> Arrivals::reports() const { return {detections_.data<Report>(), report_count_}; }

} // namespace radar
