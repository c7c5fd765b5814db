#include "input.hpp"

#include "program.hpp"

#include <cmath>

namespace sonar {
namespace {

constexpr std::int64_t usual_frames = 16;

void take_from_recording(const common::Recording &recording, Options &options) {
    Sonar &sonar = options.sonar;
    if (recording.channels < 2)
        throw common::Failure(common::exit_data, common::sigmf_data_path(options.recordings.in).string() +
                                                     ": one channel; bearings need at least two");
    sonar.sensors = recording.channels;
    sonar.sample_rate = recording.sample_rate;
    sonar.centre_frequency = recording.centre_frequency;
    if (sonar.frequency_step() < 1e-12 * std::abs(sonar.centre_frequency)) // a double has about 16 digits
        throw common::Failure(common::exit_data, common::sigmf_meta_path(options.recordings.in).string() +
                                                     ": core:frequency exceeds core:sample_rate so far that "
                                                     "spectral lines cannot be distinguished");
    options.frames =
        common::frames_to_read(options.recordings, recording, options.frames, sonar.samples, sonar.overlap());
}

} // namespace

common::Recording prepare_input(Options &options) {
    if (const auto recording = common::describe_on_all(options.recordings))
        take_from_recording(*recording, options);
    else if (options.frames == 0)
        options.frames = usual_frames;
    if (options.recordings.in.empty() && options.sources.empty() && options.tones.empty()) {
        options.sources = {{-40, 1.5, 0}, {25, 0.4, 0}};
        options.tones = {{1200, 55, -14}, {1730, -60, -14}};
    }
    const Sonar &sonar = options.sonar;
    return common::describe_frames(
        options.recordings,
        {.channels = sonar.sensors, .sample_rate = sonar.sample_rate, .centre_frequency = sonar.centre_frequency},
        options.frames, sonar.samples, sonar.overlap());
}

void create_recording(const Options &options, const common::Recording &frames) {
    common::create_on_first(options.recordings, frames,
                            "Passive sonar: a line of " + std::to_string(options.sonar.sensors) + " sensors, " +
                                std::to_string(options.sonar.spacing) + " m apart");
}

Input::Input(const Options &options)
    : sensors_(options.sonar.sensors), frame_samples_(options.sonar.samples), frames_(options.frames),
      files_(common::open_files(options.recordings)) {
    if (!files_.in)
        sea_ = std::make_unique<Sea>(options.sonar, options.sources, options.tones);
}

bool Input::fill(std::int64_t frame, std::int64_t first, std::int64_t count, cfloat *samples) {
    if (frame == frames_)
        return false;
    first += frame * frame_samples_;
    files_.fill(first * sensors_, count * sensors_, samples, [&] { sea_->fill(first, count, samples); });
    return true;
}

} // namespace sonar
