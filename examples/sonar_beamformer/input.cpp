#include "input.hpp"

#include "program.hpp"

#include <algorithm>

namespace sonar {
namespace {

using common::exit_data, common::Failure;

common::RecordingNames names_of(const Options &options) { return {options.sigmf_in, options.sigmf_out}; }

constexpr std::int64_t usual_frames = 16;

void take_from_recording(const common::Recording &recording, Options &options) {
    Sonar &sonar = options.sonar;
    const std::string name = common::sigmf_data_path(options.sigmf_in).string();
    if (recording.channels < 2)
        throw Failure(exit_data, name + ": one channel; bearings need two or more");
    sonar.sensors = recording.channels;
    sonar.sample_rate = recording.sample_rate;
    sonar.centre_frequency = recording.centre_frequency;
    const std::int64_t held = std::max<std::int64_t>(0, recording.samples - sonar.overlap()) / sonar.samples;
    if (held < std::max<std::int64_t>(options.frames, 1))
        throw Failure(exit_data, name + ": holds " + std::to_string(recording.samples) + " samples, " +
                                     std::to_string(held) + " frames of " + std::to_string(sonar.samples));
    if (options.frames == 0)
        options.frames = held;
}

void create_recording(const Options &options) {
    const Sonar &sonar = options.sonar;
    common::create_on_first(names_of(options),
                            {.type = options.out_type,
                             .channels = sonar.sensors,
                             .samples = options.frames * sonar.samples + sonar.overlap(),
                             .sample_rate = sonar.sample_rate,
                             .centre_frequency = sonar.centre_frequency},
                            "Passive sonar: a line of " + std::to_string(sonar.sensors) + " sensors, " +
                                std::to_string(sonar.spacing) + " m apart");
}

} // namespace

void prepare_input(Options &options) {
    if (const auto recording = common::describe_on_all(names_of(options)))
        take_from_recording(*recording, options);
    else if (options.frames == 0)
        options.frames = usual_frames;
    create_recording(options);
    if (options.sigmf_in.empty() && options.sources.empty() && options.tones.empty()) {
        options.sources = {{-40, 1.5, 0}, {25, 0.4, 0}};
        options.tones = {{1200, 55, -14}, {1730, -60, -14}};
    }
}

Input::Input(const Options &options)
    : sensors_(options.sonar.sensors), files_(common::open_files(names_of(options), options.out_type)) {
    if (options.sigmf_in.empty())
        sea_ = std::make_unique<Sea>(options.sonar, options.sources, options.tones);
}

void Input::fill(std::int64_t first, std::int64_t count, cfloat *samples) const {
    if (files_.in)
        files_.in->read(first * sensors_, count * sensors_, samples);
    else
        sea_->fill(first, count, samples);
    if (files_.out)
        files_.out->write(first * sensors_, count * sensors_, samples);
}

} // namespace sonar
