// The command line.
#pragma once

#include "cfar.hpp"
#include "recordings.hpp"
#include "scene.hpp"

#include <filesystem>
#include <optional>

namespace radar {

struct Options {
    Radar radar;
    CfarSettings cfar;
    int front = 0, doppler = 0; // processes; 0: chosen by deal_roles()
    std::int64_t frames = 0;    // 0: all frames of the recording, or 10
    int buffers = 2;
    std::vector<Target> targets; // empty: usual_targets()
    std::filesystem::path picture_file = "range_doppler.png";
    double range_db = 40; // decibels from white to black in the picture
    common::Recordings recordings;
};

// Every process parses the same arguments; the first one prints help and errors. If the program must end now,
// returns nothing and sets exit_code.
std::optional<Options> parse_options(int argc, char **argv, int &exit_code);

} // namespace radar
