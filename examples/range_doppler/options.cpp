#include "options.hpp"

#include "program.hpp"

#include <CLI/CLI.hpp>

#include <cmath>
#include <cstdio>

namespace radar {
namespace {

// Ranges let NaN through: it is neither below nor above.
std::string require_finite(const std::string &text) {
    return std::isfinite(std::strtod(text.c_str(), nullptr)) ? "" : text + " is no finite number";
}

Target parse_target(const std::string &text) {
    Target target{};
    char more = 0;
    if (std::sscanf(text.c_str(), "%lf,%lf,%lf%c", &target.range, &target.speed, &target.snr, &more) != 3 ||
        !std::isfinite(target.range) || !std::isfinite(target.speed) || !(std::abs(target.snr) <= 100))
        throw CLI::ValidationError("--target", text + " is not RANGE,SPEED,SNR");
    return target;
}

void add_data_options(CLI::App &app, Options &options, std::string &type) {
    Radar &radar = options.radar;
    const auto count = CLI::Range(std::int64_t{1}, std::int64_t{1} << 20);
    app.add_option("--channels", radar.channels, "Channels of the antenna")
        ->check(CLI::Range(1, 1024))
        ->capture_default_str()
        ->group("Data");
    app.add_option("--pulses", radar.pulses, "Pulses of a frame")
        ->check(CLI::Range(2, 1 << 16))
        ->capture_default_str()
        ->group("Data");
    app.add_option("--ranges", radar.ranges, "Range samples of a pulse")
        ->check(count)
        ->capture_default_str()
        ->group("Data");
    app.add_option("--chirp", radar.chirp, "Samples of the pulse that is sent, an upward chirp")
        ->check(CLI::Range(1, 1 << 16))
        ->capture_default_str()
        ->group("Data");
    app.add_option("--prf", radar.repetition_rate, "Pulses per second, fewer where a pulse's samples take longer")
        ->check(CLI::Range(1.0, 1e9))
        ->check(require_finite)
        ->capture_default_str()
        ->group("Data");
    app.add_option(
           "--sigmf-in", options.sigmf_in,
           "Read the samples from this SigMF recording (NAME, or NAME.sigmf-meta); without it, targets are "
           "simulated")
        ->group("Data");
    app.add_option("--sigmf-out", options.sigmf_out, "Also write the samples as a SigMF recording")->group("Data");
    app.add_option("--sigmf-type", type, "Its samples: ci16_le or cf32_le")
        ->check(CLI::IsMember({"ci16_le", "cf32_le"}))
        ->capture_default_str()
        ->group("Data");
}

} // namespace

std::optional<Options> parse_options(int argc, char **argv, int &exit_code) {
    Options options;
    std::vector<std::string> targets;
    std::string type = "ci16_le";
    CLI::App app("A pulse-Doppler radar as a pipeline: pulse compression on some processes, Doppler filter and\n"
                 "detection on others, and one that follows the targets, frame after frame.",
                 "range_doppler");
    add_data_options(app, options, type);
    app.add_option(
           "--target", targets,
           "A simulated target RANGE,SPEED,SNR in m, m/s (positive: away) and dB of one channel behind both "
           "transforms; may be repeated; without it, five usual ones")
        ->group("Data");
    app.add_option("--front", options.front, "Processes of the front end, the first ones; 0: about half")
        ->check(CLI::Range(0, 1 << 20))
        ->capture_default_str()
        ->group("Processes");
    app.add_option("--doppler", options.doppler,
                   "Processes of the Doppler stage, the last ones before the tracker's where there are enough; 0: "
                   "what is left")
        ->check(CLI::Range(0, 1 << 20))
        ->capture_default_str()
        ->group("Processes");
    app.add_option("--nbuffs", options.buffers, "Buffers at each end of a transfer")
        ->check(CLI::Range(1, 64))
        ->capture_default_str()
        ->group("Processes");
    app.add_option("--frames", options.frames, "Frames; 0: all of the recording, or 10")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 40))
        ->capture_default_str();
    app.add_option("--false-alarms", options.cfar.false_alarms, "Probability of a false alarm in a cell")
        ->check(CLI::Range(1e-15, 0.1))
        ->check(require_finite)
        ->capture_default_str();
    app.add_option("--guard", options.cfar.guard, "Ranges beside a cell that are left out of its noise")
        ->check(CLI::Range(1, 10000))
        ->capture_default_str();
    app.add_option("--training", options.cfar.training, "Ranges beyond these that tell the noise")
        ->check(CLI::Range(1, 10000))
        ->capture_default_str();
    app.add_option("--out", options.picture_file, "The picture of the last frame, a PNG file")
        ->capture_default_str();
    app.add_option("--range-db", options.range_db, "Decibels from white to black in the picture")
        ->check(CLI::Range(1.0, 200.0))
        ->check(require_finite)
        ->capture_default_str();
    app.footer("Exit codes: 0 success; 1 an error of MPI or of the library; 2 wrong arguments;\n"
               "3 data missing, truncated or of another kind; 4 a result cannot be written.");
    try {
        app.parse(argc, argv);
        for (const std::string &target : targets)
            options.targets.push_back(parse_target(target));
    } catch (const CLI::ParseError &error) {
        if (common::is_first_process())
            app.exit(error);
        exit_code = error.get_exit_code() == 0 ? common::exit_ok : common::exit_usage;
        return std::nullopt;
    }
    options.out_type = type == "ci16_le" ? common::SampleType::ci16 : common::SampleType::cf32;
    return options;
}

} // namespace radar
