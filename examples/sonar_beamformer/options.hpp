// The command line.
#pragma once

#include "recordings.hpp"
#include "sea.hpp"

#include <filesystem>
#include <optional>

namespace sonar {

struct Options {
    Sonar sonar;
    int front = 0, broad = 0, narrow = 0;          // processes; 0: as many as suit
    std::optional<double> narrow_low, narrow_high; // Hz; without them the lower half of the sampled band
    std::int64_t frames = 0; // of the front end, the others see their end; 0: what the recording holds, or 16
    int buffers = 2;
    std::vector<Source> sources; // none and no tones: the usual ones
    std::vector<Tone> tones;
    std::filesystem::path picture_file = "sonar_beamformer.png";
    common::Recordings recordings;
};

// Every process parses the same arguments; the first one prints help and errors. Nothing where the program is to
// end now, with exit_code.
std::optional<Options> parse_options(int argc, char **argv, int &exit_code);

} // namespace sonar
