// The program's standard output and its picture.
#pragma once

#include "options.hpp"
#include "report.hpp"

#include <dri/dri.hpp>

#include <span>

namespace radar {

class Tracker {
public:
    explicit Tracker(const Options &options);

    // Prints a line about a frame that has arrived.
    void follow(const dri::Frame &frame, std::span<const Report> reports);

    // Prints the targets of the last frame and the times of all.
    void summarise() const;

    // map: power, [range][Doppler cell] of the last frame.
    void write_picture(const float *map) const;

private:
    void print_simulated() const;

    Options options_; // with the waveform of the last frame
    std::int64_t last_frame_ = 0;
    std::int64_t found_ = 0;            // in the last frame
    std::vector<Detection> detections_; // of the last frame, strongest first
    std::vector<double> arrivals_;      // s, of each frame
    std::vector<double> latencies_;     // s
};

} // namespace radar
