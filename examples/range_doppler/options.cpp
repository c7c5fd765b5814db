#include "options.hpp"

#include "command_line.hpp"
#include "program.hpp"
#include "three_numbers.hpp"

namespace radar {
namespace {

// The longest pulses cover 6,300 km. A target may start farther away and come nearer.
Target parse_target(const std::string &text) {
    const auto [range, speed, snr] = common::three_numbers(
        "--target", text, {{{"RANGE", "m", 0, 1e9}, {"SPEED", "m/s", -1e8, 1e8}, {"SNR", "dB", -100, 100}}});
    return {range, speed, snr};
}

void add_data_options(common::CommandLine &asked, Options &options, std::vector<std::string> &targets) {
    Radar &radar = options.radar;
    asked.group("Data");
    asked.add("--channels", radar.channels, {1, 1024}, "Channels of the antenna");
    asked.add("--pulses", radar.pulses, {2, 1 << 16}, "Pulses of a frame");
    asked.add("--ranges", radar.ranges, {1, 1 << 20}, "Range samples of a pulse");
    asked.add("--chirp", radar.chirp, {1, 1 << 16}, "Samples of the transmitted pulse, an upward chirp");
    asked.add("--prf", radar.repetition_rate, {1.0, 1e9},
              "Pulses per second; fewer if the samples of a pulse take longer");
    options.recordings.add_options(asked, "targets", common::SampleType::ci16);
    asked.add_repeated(
        "--target", targets,
        "A simulated target RANGE,SPEED,SNR in m (0 to 1e9), m/s (positive: away; -1e8 to 1e8) and dB of one "
        "channel after both transforms (-100 to 100); may be repeated; without it, five default targets");
}

void add_process_options(common::CommandLine &asked, Options &options) {
    constexpr common::Range<int> processes{0, 1 << 20};
    asked.group("Processes");
    asked.add("--front", options.front, processes, "Processes of the front end, the first ones; 0: about half");
    asked.add("--doppler", options.doppler, processes,
              "Processes of the Doppler stage, the last ones before the tracker's if there are enough; 0: "
              "the rest");
    asked.add("--nbuffs", options.buffers, {1, 64}, "Buffers of each endpoint of a transfer");
}

} // namespace

std::optional<Options> parse_options(int argc, char **argv, int &exit_code) {
    const bool quiet = !common::is_first_process();
    Options options;
    std::vector<std::string> targets;
    common::CommandLine asked(
        "A pulse-Doppler radar as a pipeline: pulse compression on some processes, Doppler filter and\n"
        "detection on others, and one that lists the targets, frame after frame.",
        "range_doppler");
    add_data_options(asked, options, targets);
    add_process_options(asked, options);
    asked.group("");
    asked.add("--frames", options.frames, {0, std::int64_t{1} << 40}, "Frames; 0: all of the recording, or 10");
    asked.add("--false-alarms", options.cfar.false_alarms, {1e-15, 0.1}, "Probability of a false alarm in a cell");
    asked.add("--guard", options.cfar.guard, {1, 10000},
              "Ranges on each side of a cell that are left out of its noise estimate");
    asked.add("--training", options.cfar.training, {1, 10000},
              "Ranges on each side beyond these from which the noise is estimated");
    asked.add("--out", options.picture_file, "The picture of the last frame, a PNG file");
    asked.add("--range-db", options.range_db, {1.0, 200.0}, "Decibels from white to black in the picture");
    asked.end_help_with("Exit codes: 0 success; 1 an error of MPI or of the library; 2 wrong arguments;\n"
                        "3 data missing, truncated or of another kind; 4 a result cannot be written.");
    if (const auto code = asked.parse(argc, argv, quiet)) {
        exit_code = *code;
        return std::nullopt;
    }
    try {
        for (const std::string &target : targets)
            options.targets.push_back(parse_target(target));
    } catch (const common::BadOption &bad) {
        exit_code = asked.refuse(bad, quiet);
        return std::nullopt;
    }
    return options;
}

} // namespace radar
