#include "options.hpp"

#include <CLI/CLI.hpp>
#include <fftw3.h>

#include <algorithm>
#include <map>
#include <string>

namespace fft {

std::optional<Options> parse_options(int argc, char **argv, bool is_first, int &exit_code) {
    Options options;
    std::string flag = "estimate";
    const std::map<std::string, unsigned> flags = {{"estimate", FFTW_ESTIMATE}, {"measure", FFTW_MEASURE}};
    const auto length = CLI::Range(1, 1 << 24);

    CLI::App app("2-D FFT of a complex float array in parallel: FFTs along rows, corner turn, FFTs along columns.",
                 "two_stage_fft");
    app.add_option("--rows", options.rows, "Rows of the array")->check(length)->capture_default_str();
    app.add_option("--cols", options.columns, "Columns of the array")->check(length)->capture_default_str();
    app.add_option("--frames", options.frames,
                   "How many times the array is transformed, stage by stage and again as a whole")
        ->check(CLI::Range(1, 1'000'000'000))
        ->capture_default_str();
    app.add_option("--flag", flag, "How hard FFTW looks for fast transforms: estimate or measure")
        ->check(CLI::IsMember(flags))
        ->capture_default_str();
    app.add_flag(
        "--compare", options.compare,
        "Also measure FFTW's own parallel transform, with transposed output; at least two rows and columns");
    app.footer("Exit codes: 0 the result agrees with FFTW's own parallel transform; 1 it does not, or an error\n"
               "of MPI or of the library; 2 wrong arguments.");
    try {
        app.parse(argc, argv);
        if (options.compare && std::min(options.rows, options.columns) < 2)
            throw CLI::ValidationError("--compare", "needs at least two rows and two columns");
    } catch (const CLI::ParseError &error) {
        if (is_first)
            app.exit(error);
        exit_code = error.get_exit_code() == 0 ? exit_ok : exit_usage;
        return std::nullopt;
    }
    options.planning = flags.at(flag);
    return options;
}

} // namespace fft
