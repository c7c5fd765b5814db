#include "options.hpp"

#include "program.hpp"

#include <CLI/CLI.hpp>

#include <cmath>
#include <cstdio>

namespace sonar {
namespace {

// Ranges let NaN through: it is neither below nor above.
std::string require_finite(const std::string &text) {
    return std::isfinite(std::strtod(text.c_str(), nullptr)) ? "" : text + " is no finite number";
}

struct Three {
    double a, b, c;
};

Three parse_three(const char *option, const std::string &text, const char *shape) {
    Three three{};
    char more = 0;
    if (std::sscanf(text.c_str(), "%lf,%lf,%lf%c", &three.a, &three.b, &three.c, &more) != 3 ||
        !std::isfinite(three.a) || !std::isfinite(three.b) || !(std::abs(three.c) <= 100))
        throw CLI::ValidationError(option, text + " is not " + shape);
    return three;
}

struct Texts {
    std::vector<std::string> sources, tones;
    std::string type = "cf32_le";
};

void add_data_options(CLI::App &app, Options &options, Texts &texts) {
    Sonar &sonar = options.sonar;
    const auto number = [&](const char *name, auto &value, const CLI::Range &range, const char *text) {
        app.add_option(name, value, text)->check(range)->capture_default_str()->group("Data");
    };
    number("--sensors", sonar.sensors, CLI::Range(2, 4096), "Sensors of the line");
    number("--spacing", sonar.spacing, CLI::Range(1e-3, 1e3), "Metres between them");
    number("--samples", sonar.samples, CLI::Range(1, 1 << 24),
           "New samples of each sensor in a frame, a multiple of the hop");
    number("--window", sonar.window, CLI::Range(8, 1 << 16), "Samples of a transform, an even number");
    number("--hop", sonar.hop, CLI::Range(1, 1 << 16),
           "Samples from one transform to the next, at most the window");
    app.add_option(
           "--sigmf-in", options.sigmf_in,
           "Read the samples from this SigMF recording (NAME, or NAME.sigmf-meta); without it, sources are "
           "simulated")
        ->group("Data");
    app.add_option("--sigmf-out", options.sigmf_out, "Also write the samples as a SigMF recording")->group("Data");
    app.add_option("--sigmf-type", texts.type, "Its samples: ci16_le or cf32_le")
        ->check(CLI::IsMember({"ci16_le", "cf32_le"}))
        ->capture_default_str()
        ->group("Data");
    app.add_option(
           "--source", texts.sources,
           "A simulated source of broad band BEARING,RATE,SNR in degrees from broadside, degrees per second and "
           "dB at a sensor; may be repeated; without it and --tone, two usual ones")
        ->group("Data");
    app.add_option("--tone", texts.tones,
                   "A simulated line FREQUENCY,BEARING,SNR in Hz, degrees, dB; may be repeated; without it and "
                   "--source, two usual ones")
        ->group("Data");
}

void add_process_options(CLI::App &app, Options &options) {
    const auto processes = [&](const char *name, int &value, const char *text) {
        app.add_option(name, value, text)
            ->check(CLI::Range(0, 1 << 20))
            ->capture_default_str()
            ->group("Processes");
    };
    processes("--front", options.front, "Processes of the front end, the first ones; 0: about half");
    processes("--broad", options.broad, "Processes of the broad band, those behind; 0: half of the rest");
    processes("--narrow", options.narrow, "Processes of the narrow band, those behind; 0: what is left");
    app.add_option("--nbuffs", options.buffers, "Buffers at each end of a transfer")
        ->check(CLI::Range(1, 64))
        ->capture_default_str()
        ->group("Processes");
}

// What the options say only together.
void finish(Options &options, const Texts &texts) {
    const Sonar &sonar = options.sonar;
    if (sonar.hop > sonar.window || sonar.window % 2 != 0)
        throw CLI::ValidationError("--window", "must be even, and at least the hop");
    if (sonar.samples % sonar.hop != 0)
        throw CLI::ValidationError("--samples", "must be a multiple of the hop");
    for (const std::string &text : texts.sources) {
        const Three three = parse_three("--source", text, "BEARING,RATE,SNR");
        options.sources.push_back({three.a, three.b, three.c});
    }
    for (const std::string &text : texts.tones) {
        const Three three = parse_three("--tone", text, "FREQUENCY,BEARING,SNR");
        options.tones.push_back({three.a, three.b, three.c});
    }
    options.out_type = texts.type == "ci16_le" ? common::SampleType::ci16 : common::SampleType::cf32;
}

} // namespace

std::optional<Options> parse_options(int argc, char **argv, int &exit_code) {
    Options options;
    Texts texts;
    CLI::App app(
        "A passive sonar as a pipeline: transforms of overlapping windows on some processes, beams of all\n"
        "frequencies and of a narrow band on others, and one that shows the bearings, frame after frame.",
        "sonar_beamformer");
    add_data_options(app, options, texts);
    add_process_options(app, options);
    app.add_option("--frames", options.frames, "Frames; 0: all of the recording, or 16")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 40))
        ->capture_default_str();
    app.add_option("--narrow-low", options.narrow_low,
                   "Hz, the lower edge of the band where lines are looked for; without it that of the samples")
        ->check(require_finite);
    app.add_option("--narrow-high", options.narrow_high, "Hz, its upper edge; without it the centre frequency")
        ->check(require_finite);
    app.add_option("--out", options.picture_file, "The picture of bearings over time, a PNG file")
        ->capture_default_str();
    app.footer("Exit codes: 0 success; 1 an error of MPI or of the library; 2 wrong arguments;\n"
               "3 data missing, truncated or of another kind; 4 a result cannot be written.");
    try {
        app.parse(argc, argv);
        finish(options, texts);
    } catch (const CLI::ParseError &error) {
        if (common::is_first_process())
            app.exit(error);
        exit_code = error.get_exit_code() == 0 ? common::exit_ok : common::exit_usage;
        return std::nullopt;
    }
    return options;
}

} // namespace sonar
