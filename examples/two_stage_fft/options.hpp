#pragma once

#include <optional>

namespace fft {

struct Options {
    int rows = 1024;
    int columns = 1024;
    int frames = 10;
    unsigned planning = 0; // FFTW's planning flag
    bool compare = false;  // also measure FFTW's own parallel transform
};

enum ExitCode { exit_ok = 0, exit_wrong = 1, exit_usage = 2 };

// All processes parse the same command line; the first one prints help and errors. If the program must end now,
// returns nothing and sets `exit_code`.
std::optional<Options> parse_options(int argc, char **argv, bool is_first, int &exit_code);

} // namespace fft
