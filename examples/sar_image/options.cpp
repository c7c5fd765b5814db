#include "options.hpp"

#include "command_line.hpp"
#include "process.hpp"

namespace sar {

std::optional<Options> parse_options(int argc, char **argv, int &exit_code) {
    Options options;
    common::CommandLine asked(
        "Forms a spotlight SAR image from phase history by the polar format algorithm, in parallel.", "sar_image");
    asked.add("--data", options.data_folder,
              "Folder with the Gotcha files data_*.mat; without it, a scene of point targets is simulated");
    asked.add("--out", options.picture_file, "The picture, a PNG file");
    asked.add("--raw", options.raw_file,
              "Also write the complex image: float32 pairs, x fastest, from the lowest y upward");
    asked.add("--pixels", options.pixels, {16, 4096}, "Number of pixels along x and along y");
    asked.add("--extent", options.extent, {1.0, 1e4}, "Metres from the scene's centre to the picture's edge");
    asked.add("--range-db", options.range_db, {1.0, 200.0}, "Decibels from white (the peak) to black");
    asked.add("--points", options.points, {0, 1000}, "Number of brightest points to list");
    asked.add_flag("--autofocus", options.autofocus, "Apply the autofocus corrections of the data");
    asked.end_help_with("Exit codes: 0 success; 1 an error of MPI or of the library; 2 wrong arguments;\n"
                        "3 data missing, truncated or of another kind; 4 a result cannot be written.");
    if (const auto code = asked.parse(argc, argv, !is_first_process())) {
        exit_code = *code;
        return std::nullopt;
    }
    return options;
}

} // namespace sar
