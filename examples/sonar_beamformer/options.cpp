#include "options.hpp"

#include "command_line.hpp"
#include "program.hpp"
#include "three_numbers.hpp"

namespace sonar {
namespace {

constexpr common::NumberRange bearings{"BEARING", "degrees", -180, 180}, snrs{"SNR", "dB", -100, 100};

Source parse_source(const std::string &text) {
    const auto [bearing, rate, snr] =
        common::three_numbers("--source", text, {{bearings, {"RATE", "degrees per second", -360, 360}, snrs}});
    return {bearing, rate, snr};
}

Tone parse_tone(const std::string &text) {
    const auto [frequency, bearing, snr] =
        common::three_numbers("--tone", text, {{{"FREQUENCY", "Hz", 0, 1e6}, bearings, snrs}});
    return {frequency, bearing, snr};
}

struct Texts {
    std::vector<std::string> sources, tones;
};

void add_data_options(common::CommandLine &asked, Options &options, Texts &texts) {
    Sonar &sonar = options.sonar;
    asked.group("Data");
    asked.add("--sensors", sonar.sensors, {2, 4096}, "Number of sensors of the line");
    asked.add("--spacing", sonar.spacing, {1e-3, 1e3}, "Distance between sensors in metres");
    asked.add("--samples", sonar.samples, {1, 1 << 24},
              "New samples of each sensor in a frame, a multiple of the hop");
    asked.add("--window", sonar.window, {8, 1 << 16}, "Samples of a transform, an even number");
    asked.add("--hop", sonar.hop, {1, 1 << 16}, "Samples from one transform to the next, at most the window");
    options.recordings.add_options(asked, "sources", common::SampleType::cf32);
    asked.add_repeated(
        "--source", texts.sources,
        "A simulated broadband source BEARING,RATE,SNR in degrees from broadside (-180 to 180), degrees per "
        "second (-360 to 360) and dB at a sensor (-100 to 100); may be repeated; without it and --tone, two "
        "default "
        "sources");
    asked.add_repeated(
        "--tone", texts.tones,
        "A simulated line FREQUENCY,BEARING,SNR in Hz (0 to 1e6), degrees, dB; may be repeated; without it and "
        "--source, two default lines");
}

void add_process_options(common::CommandLine &asked, Options &options) {
    constexpr common::Range<int> processes{0, 1 << 20};
    asked.group("Processes");
    asked.add("--front", options.front, processes, "Processes of the front end, the first ones; 0: about half");
    asked.add("--broad", options.broad, processes,
              "Processes of the broad band, the next ones; 0: half of the rest");
    asked.add("--narrow", options.narrow, processes, "Processes of the narrow band, the next ones; 0: the rest");
    asked.add("--nbuffs", options.buffers, {1, 64}, "Buffers of each endpoint of a transfer");
}

// Checks and parses the options that depend on each other.
void finish(Options &options, const Texts &texts) {
    const Sonar &sonar = options.sonar;
    if (sonar.hop > sonar.window || sonar.window % 2 != 0)
        throw common::BadOption("--window", "must be even, and at least the hop");
    if (sonar.samples % sonar.hop != 0)
        throw common::BadOption("--samples", "must be a multiple of the hop");
    for (const std::string &text : texts.sources)
        options.sources.push_back(parse_source(text));
    for (const std::string &text : texts.tones)
        options.tones.push_back(parse_tone(text));
}

} // namespace

std::optional<Options> parse_options(int argc, char **argv, int &exit_code) {
    const bool quiet = !common::is_first_process();
    Options options;
    Texts texts;
    common::CommandLine asked(
        "A passive sonar as a pipeline: transforms of overlapping windows on some processes, beams of all\n"
        "frequencies and of a narrow band on others, and one that displays the bearings, frame after frame.",
        "sonar_beamformer");
    add_data_options(asked, options, texts);
    add_process_options(asked, options);
    asked.group("");
    asked.add("--frames", options.frames, {0, std::int64_t{1} << 40}, "Frames; 0: all of the recording, or 16");
    asked.add("--narrow-low", options.narrow_low,
              "Lower edge in Hz of the band in which lines are searched; default: that of the samples");
    asked.add("--narrow-high", options.narrow_high,
              "Upper edge of that band in Hz; default: the centre frequency");
    asked.add("--out", options.picture_file, "The picture of bearings over time, a PNG file");
    asked.end_help_with("Exit codes: 0 success; 1 an error of MPI or of the library; 2 wrong arguments;\n"
                        "3 data missing, truncated or of another kind; 4 a result cannot be written.");
    if (const auto code = asked.parse(argc, argv, quiet)) {
        exit_code = *code;
        return std::nullopt;
    }
    try {
        finish(options, texts);
    } catch (const common::BadOption &bad) {
        exit_code = asked.refuse(bad, quiet);
        return std::nullopt;
    }
    return options;
}

} // namespace sonar
