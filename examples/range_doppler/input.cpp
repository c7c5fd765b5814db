#include "input.hpp"

#include "program.hpp"

namespace radar {
namespace {

constexpr std::int64_t usual_frames = 10;

constexpr double least_carrier = 1e3; // Hz

void take_waveform(const common::Recording &recording, Radar &radar) {
    radar.sample_rate = recording.sample_rate;
    if (recording.centre_frequency != 0)
        radar.carrier = recording.centre_frequency;
}

} // namespace

common::Recording prepare_input(Options &options) {
    Radar radar = options.radar;
    if (const auto recording = common::describe_on_all(options.recordings)) {
        if (recording->centre_frequency != 0 && recording->centre_frequency < least_carrier)
            throw common::Failure(common::exit_data,
                                  common::sigmf_meta_path(options.recordings.in).string() +
                                      ": core:frequency is below the minimum carrier of 1000 Hz");
        options.radar.channels = radar.channels = recording->channels;
        take_waveform(*recording, radar);
        options.frames =
            common::frames_to_read(options.recordings, *recording, options.frames, radar.pulses * radar.ranges, 0);
    } else if (options.frames == 0) {
        options.frames = usual_frames;
    }
    if (options.recordings.in.empty() && options.targets.empty())
        options.targets = usual_targets(options.radar);
    return common::describe_frames(
        options.recordings,
        {.channels = radar.channels, .sample_rate = radar.sample_rate, .centre_frequency = radar.carrier},
        options.frames, radar.pulses * radar.ranges, 0);
}

void create_recording(const Options &options, const common::Recording &frames) {
    common::create_on_first(options.recordings, frames,
                            "Pulse-Doppler radar: " + std::to_string(options.radar.ranges) +
                                " range samples of each pulse, " + std::to_string(options.radar.pulses) +
                                " pulses of each frame");
}

Input::Input(const Options &options)
    : radar_(options.radar), frames_(options.frames), files_(common::open_files(options.recordings)) {
    if (files_.in)
        take_waveform(files_.recorded, radar_);
    else
        scene_ = std::make_unique<Scene>(radar_, options.targets);
}

bool Input::fill(std::int64_t frame, std::int64_t first, std::int64_t end, cshort *samples) {
    if (frame == frames_)
        return false;
    const std::int64_t pulse = radar_.ranges * radar_.channels;
    files_.fill((frame * radar_.pulses + first) * pulse, (end - first) * pulse, samples,
                [&] { scene_->fill(frame, first, end, samples); });
    return true;
}

} // namespace radar
