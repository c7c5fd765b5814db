// The command line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace sar {

struct Options {
    std::filesystem::path data_folder; // empty: simulate
    std::filesystem::path picture_file = "sar_image.png";
    std::filesystem::path raw_file; // empty: none
    std::int64_t pixels = 501;
    double extent = 50;   // m to each side of the centre
    double range_db = 50; // below the peak
    std::int64_t points = 10;
    bool autofocus = false;
};

// Every process parses the same arguments; the first one prints help and errors. If the program must end now,
// returns nothing and sets exit_code.
std::optional<Options> parse_options(int argc, char **argv, int &exit_code);

} // namespace sar
