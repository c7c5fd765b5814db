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
    int front = 0, doppler = 0; // processes; 0: as many as suit
    std::int64_t frames = 0;    // of the front end, the others see their end; 0: what the recording holds, or 10
    int buffers = 2;
    std::vector<Target> targets; // none: the usual ones
    std::filesystem::path picture_file = "range_doppler.png";
    double range_db = 40; // of the picture
    common::Recordings recordings;
};

// Every process parses the same arguments; the first one prints help and errors. Nothing where the program is to
// end now, with exit_code.
std::optional<Options> parse_options(int argc, char **argv, int &exit_code);

} // namespace radar
