// What the Doppler stage tells the tracker.
#pragma once

#include "cfar.hpp"

namespace radar {

// What one Doppler process has found in a frame.
struct Report {
    static constexpr std::size_t room = 64;

    std::int64_t frame;
    std::int64_t found; // of these the strongest ones are in the list
    Detection strongest[room];
};

void write_report(std::int64_t frame, std::vector<Detection> found, Report &report);

} // namespace radar
