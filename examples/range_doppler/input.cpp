#include "input.hpp"

#include "program.hpp"

namespace radar {
namespace {

constexpr std::int64_t usual_frames = 10;

void take_waveform(const common::Recording &recording, Radar &radar) {
    radar.sample_rate = recording.sample_rate;
    if (recording.centre_frequency > 0)
        radar.carrier = recording.centre_frequency;
}

void create_recording(const Options &options, const Radar &radar) {
    common::create_on_first(options.recordings,
                            {.channels = radar.channels,
                             .samples = options.frames * radar.pulses * radar.ranges,
                             .sample_rate = radar.sample_rate,
                             .centre_frequency = radar.carrier},
                            "Pulse-Doppler radar: " + std::to_string(radar.ranges) +
                                " range samples of each pulse, " + std::to_string(radar.pulses) +
                                " pulses of each frame");
}

} // namespace

void prepare_input(Options &options) {
    Radar radar = options.radar;
    if (const auto recording = common::describe_on_all(options.recordings)) {
        if (recording->centre_frequency < 0)
            throw common::Failure(common::exit_data, common::sigmf_data_path(options.recordings.in).string() +
                                                         ": the centre frequency is below 0");
        options.radar.channels = radar.channels = recording->channels;
        take_waveform(*recording, radar);
        options.frames =
            common::frames_to_read(options.recordings, *recording, options.frames, radar.pulses * radar.ranges, 0);
    } else if (options.frames == 0) {
        options.frames = usual_frames;
    }
    create_recording(options, radar);
    if (options.recordings.in.empty() && options.targets.empty())
        options.targets = usual_targets(options.radar);
}

Input::Input(const Options &options)
    : radar_(options.radar), frames_(options.frames), files_(common::open_files(options.recordings)) {
    if (files_.in)
        take_waveform(files_.recorded, radar_);
    else
        scene_ = std::make_unique<Scene>(radar_, options.targets);
}

bool Input::fill(std::int64_t frame, std::int64_t first, std::int64_t end, cshort *samples) const {
    if (frame == frames_)
        return false;
    const std::int64_t pulse = radar_.ranges * radar_.channels;
    files_.fill((frame * radar_.pulses + first) * pulse, (end - first) * pulse, samples,
                [&] { scene_->fill(frame, first, end, samples); });
    return true;
}

} // namespace radar
