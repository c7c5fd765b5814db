// The report of the Doppler stage to the tracker.
#pragma once

#include "cfar.hpp"

namespace radar {

// The detections of one Doppler process in a frame.
struct Report {
    static constexpr std::size_t capacity = 64;

    std::int64_t frame;
    std::int64_t found; // number of detections; the list holds the strongest of them
    Detection strongest[capacity];
};

void write_report(std::int64_t frame, std::vector<Detection> found, Report &report);

} // namespace radar
