#include "options.hpp"

#include "process.hpp"

#include <CLI/CLI.hpp>

#include <cmath>
#include <cstdlib>

namespace sar {

namespace {

// Ranges let NaN through: it is neither below nor above.
std::string require_finite(const std::string &text) {
    return std::isfinite(std::strtod(text.c_str(), nullptr)) ? "" : text + " is no finite number";
}

} // namespace

std::optional<Options> parse_options(int argc, char **argv, int &exit_code) {
    Options options;
    CLI::App app("Forms a spotlight SAR image from phase history by the polar format algorithm, in parallel.",
                 "sar_image");
    app.add_option("--data", options.data_folder,
                   "Folder with the Gotcha files data_*.mat; without it, a scene of point targets is simulated");
    app.add_option("--out", options.picture_file, "The picture, a PNG file")->capture_default_str();
    app.add_option("--raw", options.raw_file,
                   "Also write the complex image: float32 pairs, x fastest, from the lowest y upward");
    app.add_option("--pixels", options.pixels, "Pixels along x and along y")
        ->check(CLI::Range(16, 4096))
        ->capture_default_str();
    app.add_option("--extent", options.extent, "Metres from the scene's centre to the picture's edge")
        ->check(CLI::Range(1.0, 1e4))
        ->check(require_finite)
        ->capture_default_str();
    app.add_option("--range-db", options.range_db, "Decibels from white (the peak) to black")
        ->check(CLI::Range(1.0, 200.0))
        ->check(require_finite)
        ->capture_default_str();
    app.add_option("--points", options.points, "How many of the brightest points to list")
        ->check(CLI::Range(0, 1000))
        ->capture_default_str();
    app.add_flag("--autofocus", options.autofocus, "Apply the autofocus corrections of the data");
    app.footer("Exit codes: 0 success; 1 an error of MPI or of the library; 2 wrong arguments;\n"
               "3 data missing, truncated or of another kind; 4 a result cannot be written.");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        if (is_first_process())
            app.exit(error);
        exit_code = error.get_exit_code() == 0 ? exit_ok : exit_usage;
        return std::nullopt;
    }
    return options;
}

} // namespace sar
