#include "tracker.hpp"

#include "frame.hpp"
#include "heat_map.hpp"
#include "peak.hpp"
#include "percentile.hpp"
#include "program.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace radar {
namespace {

// Frame rate over the last frames only, so that it follows changes without jumping.
double frames_per_second(const std::vector<double> &arrivals) {
    constexpr std::size_t max_steps = 10;
    const std::size_t steps = std::min(max_steps, arrivals.size() - 1);
    const double seconds = arrivals.back() - arrivals[arrivals.size() - 1 - steps];
    return seconds > 0 ? static_cast<double>(steps) / seconds : 0;
}

double distance(const Radar &radar, const Detection &detection, double range, double speed) {
    const double ambiguity = 2 * radar.top_speed(); // speeds are ambiguous by this
    return std::hypot((detection.range - range) / radar.range_step(),
                      std::remainder(detection.speed - speed, ambiguity) / radar.speed_step());
}

} // namespace

Tracker::Tracker(const Options &options) : options_(options) {}

void Tracker::follow(const dri::Frame &frame, std::span<const Report> reports) {
    options_.radar.set_waveform(common::record_of<Waveform>(frame));
    last_frame_ = frame.number;
    found_ = 0;
    detections_.clear();
    for (const Report &report : reports) {
        if (report.frame != frame.number)
            throw std::logic_error("a report of frame " + std::to_string(report.frame) + " arrived with frame " +
                                   std::to_string(frame.number));
        found_ += report.found;
        const auto kept = std::min<std::size_t>(static_cast<std::size_t>(report.found), Report::capacity);
        detections_.insert(detections_.end(), report.strongest, report.strongest + kept);
    }
    std::stable_sort(detections_.begin(), detections_.end(),
                     [](const auto &a, const auto &b) { return a.snr > b.snr; });
    arrivals_.push_back(common::now());
    latencies_.push_back(common::age(frame));

    std::printf("frame %4lld: %3lld targets", static_cast<long long>(frame.number),
                static_cast<long long>(found_));
    if (!detections_.empty())
        std::printf(", strongest at %8.1f m, %+7.2f m/s, %4.1f dB", static_cast<double>(detections_[0].range),
                    static_cast<double>(detections_[0].speed), static_cast<double>(detections_[0].snr));
    std::printf("; %6.2f frames/s, latency %7.1f ms\n", frames_per_second(arrivals_), 1e3 * latencies_.back());
    std::fflush(stdout);
}

void Tracker::summarise() const {
    const Radar &radar = options_.radar;
    std::printf("\nTargets of the last frame, strongest first:\n    range (m)  speed (m/s)     SNR (dB)\n");
    for (const Detection &detection : detections_)
        std::printf(" %12.2f %12.3f %12.1f\n", static_cast<double>(detection.range),
                    static_cast<double>(detection.speed), static_cast<double>(detection.snr));
    if (static_cast<std::int64_t>(detections_.size()) < found_)
        std::printf(" and %lld more\n",
                    static_cast<long long>(found_) - static_cast<long long>(detections_.size()));
    if (options_.recordings.in.empty())
        print_simulated();
    std::printf("\n%zu frames, cells of %.2f m and %.3f m/s; %.2f frames/s, the radar delivers %.2f\n"
                "Latency: median %.1f ms, 99th percentile %.1f ms, longest %.1f ms\n",
                arrivals_.size(), radar.range_step(), radar.speed_step(),
                arrivals_.size() > 1
                    ? static_cast<double>(arrivals_.size() - 1) / (arrivals_.back() - arrivals_.front())
                    : 0.0,
                1 / radar.frame_interval(), 1e3 * common::percentile(latencies_, 0.5),
                1e3 * common::percentile(latencies_, 0.99), 1e3 * common::percentile(latencies_, 1));
}

void Tracker::print_simulated() const {
    const Radar &radar = options_.radar;
    std::printf("\nSimulated targets, and the nearest detections:\n"
                "    range (m)  speed (m/s)  found range  found speed\n");
    for (const Target &target : options_.targets) {
        const double range = range_in_frame(radar, target, last_frame_);
        std::printf(" %12.2f %12.3f", range, target.speed);
        const auto nearest =
            std::min_element(detections_.begin(), detections_.end(), [&](const auto &a, const auto &b) {
                return distance(radar, a, range, target.speed) < distance(radar, b, range, target.speed);
            });
        if (nearest == detections_.end())
            std::printf("   not found\n");
        else
            std::printf(" %12.2f %12.3f\n", static_cast<double>(nearest->range),
                        static_cast<double>(nearest->speed));
    }
}

void Tracker::write_picture(const float *map) const {
    const Radar &radar = options_.radar;
    const std::int64_t cells = radar.pulses;
    // Speeds increase to the right, so the Doppler cells are read backwards from the fastest receding one.
    const auto place = [&](int row, int column) {
        const std::int64_t cell = (cells / 2 - column + cells) % cells;
        return row * cells + cell;
    };
    std::vector<float> sorted(map, map + radar.ranges * cells);
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2),
                     sorted.end());
    const double noise = common::decibels(sorted[sorted.size() / 2]);

    common::HeatMap picture{
        .x = {"speed (m/s), positive: away", -radar.speed_step() * static_cast<double>(cells / 2),
              radar.speed_step() * static_cast<double>(cells - 1 - cells / 2), static_cast<int>(cells)},
        .y = {"range (m)", 0, radar.range_of(static_cast<double>(radar.ranges - 1)),
              static_cast<int>(radar.ranges)},
        .db = [&](int column, int row) { return common::decibels(map[place(row, column)]) - noise; },
        .top_db = options_.range_db - 5,
        .range_db = options_.range_db,
        .title = "Range and speed, frame " + std::to_string(last_frame_) + ": dB above the noise",
        .marks = {}};
    for (const Detection &detection : detections_)
        picture.marks.push_back({static_cast<double>(detection.speed), static_cast<double>(detection.range)});
    common::write_heat_map(picture, options_.picture_file);
    std::printf("The picture is in %s\n", options_.picture_file.c_str());
}

} // namespace radar
