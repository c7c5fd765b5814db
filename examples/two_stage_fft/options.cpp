#include "options.hpp"

#include "command_line.hpp"

#include <fftw3.h>

#include <algorithm>
#include <string>

namespace fft {

std::optional<Options> parse_options(int argc, char **argv, bool is_first, int &exit_code) {
    Options options;
    std::string flag = "estimate";
    constexpr common::Range<int> length{1, 1 << 24};

    common::CommandLine asked(
        "2-D FFT of a complex float array in parallel: FFTs along rows, corner turn, FFTs along columns.",
        "two_stage_fft");
    asked.add("--rows", options.rows, length, "Rows of the array");
    asked.add("--cols", options.columns, length, "Columns of the array");
    asked.add("--frames", options.frames, {1, 1'000'000'000},
              "Number of frames; each is transformed stage by stage, and again as a whole");
    asked.add_choice("--flag", flag, {"estimate", "measure"}, "FFTW's planning effort: estimate or measure");
    asked.add_flag(
        "--compare", options.compare,
        "Also measure FFTW's own parallel transform with transposed output; needs at least two rows and columns");
    asked.end_help_with(
        "Exit codes: 0 the result agrees with FFTW's own parallel transform; 1 it does not, or an error\n"
        "of MPI or of the library; 2 wrong arguments.");
    if (const auto code = asked.parse(argc, argv, !is_first)) {
        exit_code = *code;
        return std::nullopt;
    }
    if (options.compare && std::min(options.rows, options.columns) < 2) {
        exit_code = asked.refuse({"--compare", "needs at least two rows and two columns"}, !is_first);
        return std::nullopt;
    }
    options.planning = flag == "measure" ? FFTW_MEASURE : FFTW_ESTIMATE;
    return options;
}

} // namespace fft
