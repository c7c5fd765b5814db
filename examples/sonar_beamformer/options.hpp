// The command line.
#pragma once

#include "recordings.hpp"
#include "sea.hpp"

#include <filesystem>
#include <optional>

namespace sonar {

struct Options {
    Sonar sonar;
    int front = 0, broad = 0, narrow = 0;          // processes; 0: chosen by deal_roles()
    std::optional<double> narrow_low, narrow_high; // Hz; default: the lower half of the sampled band
    std::int64_t frames = 0;                       // 0: all frames of the recording, or 16
    int buffers = 2;
    std::vector<Source> sources; // if there are neither sources nor tones, both are set to defaults
    std::vector<Tone> tones;
    std::filesystem::path picture_file = "sonar_beamformer.png";
    common::Recordings recordings;
};

// Every process parses the same arguments; the first one prints help and errors. If the program must end now,
// returns nothing and sets exit_code.
std::optional<Options> parse_options(int argc, char **argv, int &exit_code);

} // namespace sonar
