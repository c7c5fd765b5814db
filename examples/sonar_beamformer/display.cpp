#include "display.hpp"

#include "frame.hpp"
#include "heat_map.hpp"
#include "peak.hpp"
#include "percentile.hpp"
#include "program.hpp"

#include <algorithm>
#include <cstdio>

namespace sonar {
namespace {

constexpr std::size_t most_rows = 4000; // of the picture
constexpr double picture_db = 25;

} // namespace

Display::Display(const Options &options, const Roles &roles, const Band &band)
    : options_(options), broad_count_(static_cast<std::int64_t>(roles.broad.size())), band_(band) {}

void Display::follow(const dri::Frame &frame, const float *bearings, const float *lines) {
    const auto count = static_cast<std::size_t>(options_.sonar.window_count()) * bearing_count;
    std::vector<float> rows(count), mean(bearing_count);
    for (std::int64_t process = 0; process < broad_count_; ++process)
        for (std::size_t i = 0; i < count; ++i)
            rows[i] += bearings[static_cast<std::size_t>(process) * count + i];
    for (std::size_t i = 0; i < count; ++i)
        mean[i % bearing_count] += rows[i];
    bearings_.insert(bearings_.end(), rows.begin(), rows.end());
    if (bearings_.size() > most_rows * bearing_count)
        bearings_.erase(bearings_.begin(), bearings_.end() - most_rows * bearing_count);
    sources_ = find_sources(mean.data());
    lines_ = find_lines(options_.sonar, band_, lines);
    last_frame_ = frame.number;
    arrivals_.push_back(common::now());
    latencies_.push_back(common::age(frame));

    std::printf("frame %4lld:", static_cast<long long>(last_frame_));
    for (const FoundSource &source : sources_)
        std::printf(" source at %.1f deg,", source.bearing);
    for (const FoundLine &line : lines_)
        std::printf(" %.1f Hz at %.1f deg,", line.frequency, line.bearing);
    const double seconds = arrivals_.back() - arrivals_.front();
    std::printf(" %.2f frames/s, latency %.1f ms\n",
                seconds > 0 ? static_cast<double>(arrivals_.size() - 1) / seconds : 0.0, 1e3 * latencies_.back());
    std::fflush(stdout);
}

void Display::summarise() const {
    std::printf("\nSources of the last frame:\n  bearing (deg)   level (dB)\n");
    for (const FoundSource &source : sources_)
        std::printf(" %14.2f %12.1f\n", source.bearing, source.level);
    std::printf("\nLines of the last frame:\n frequency (Hz) bearing (deg)   level (dB)\n");
    for (const FoundLine &line : lines_)
        std::printf(" %14.2f %13.2f %12.1f\n", line.frequency, line.bearing, line.level);
    if (options_.recordings.in.empty())
        print_simulated();
    std::printf("\n%zu frames of %.2f s\nLatency: median %.1f ms, 99th percentile %.1f ms, longest %.1f ms\n",
                arrivals_.size(), options_.sonar.frame_seconds(), 1e3 * common::percentile(latencies_, 0.5),
                1e3 * common::percentile(latencies_, 0.99), 1e3 * common::percentile(latencies_, 1));
}

void Display::print_simulated() const {
    std::printf("\nSimulated sources, at their bearings in the last frame:\n  bearing (deg)\n");
    for (const Source &source : options_.sources)
        std::printf(" %14.2f\n",
                    bearing_at(source, (static_cast<double>(last_frame_) + 0.5) * options_.sonar.frame_seconds()));
    std::printf("\nSimulated lines:\n frequency (Hz) bearing (deg)\n");
    for (const Tone &tone : options_.tones)
        std::printf(" %14.2f %13.2f\n", tone.frequency, tone.bearing);
}

void Display::write_picture() const {
    const auto rows = static_cast<int>(bearings_.size() / bearing_count);
    std::vector<float> sorted = bearings_;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    const double noise = common::decibels(static_cast<double>(*middle));

    const double step = options_.sonar.hop_seconds();
    const double end = static_cast<double>(last_frame_ + 1) * options_.sonar.frame_seconds();
    common::write_heat_map(
        {.x = {"bearing (degrees from broadside)", bearing_of(0), bearing_of(bearing_count - 1), bearing_count},
         .y = {"time (s)", end - step * rows, end - step, rows},
         .db =
             [&](int beam, int row) {
                 return common::decibels(
                            static_cast<double>(bearings_[static_cast<std::size_t>(row) * bearing_count +
                                                          static_cast<std::size_t>(beam)])) -
                        noise;
             },
         .top_db = picture_db - 5,
         .range_db = picture_db,
         .title = "Bearing and time, all frequencies: dB above the median",
         .marks = {}},
        options_.picture_file);
    std::printf("The picture is in %s\n", options_.picture_file.c_str());
}

} // namespace sonar
