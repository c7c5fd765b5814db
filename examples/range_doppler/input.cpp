#include "input.hpp"

#include "program.hpp"

namespace radar {
namespace {

using common::exit_data, common::Failure;

common::RecordingNames names_of(const Options &options) { return {options.sigmf_in, options.sigmf_out}; }

constexpr std::int64_t usual_frames = 10;

void take_from_recording(const common::Recording &recording, Options &options) {
    Radar &radar = options.radar;
    const std::string name = common::sigmf_data_path(options.sigmf_in).string();
    radar.channels = recording.channels;
    radar.sample_rate = recording.sample_rate;
    if (recording.centre_frequency < 0)
        throw Failure(exit_data, name + ": the centre frequency is below 0");
    if (recording.centre_frequency > 0)
        radar.carrier = recording.centre_frequency;
    const std::int64_t wanted = radar.pulses * radar.ranges, held = recording.samples / wanted;
    if (held < std::max<std::int64_t>(options.frames, 1))
        throw Failure(exit_data, name + ": holds " + std::to_string(recording.samples) + " samples, " +
                                     std::to_string(held) + " frames of " + std::to_string(wanted));
    if (options.frames == 0)
        options.frames = held;
}

void create_recording(const Options &options) {
    const Radar &radar = options.radar;
    common::create_on_first(names_of(options),
                            {.type = options.out_type,
                             .channels = radar.channels,
                             .samples = options.frames * radar.pulses * radar.ranges,
                             .sample_rate = radar.sample_rate,
                             .centre_frequency = radar.carrier},
                            "Pulse-Doppler radar: " + std::to_string(radar.ranges) +
                                " range samples of each pulse, " + std::to_string(radar.pulses) +
                                " pulses of each frame");
}

} // namespace

void prepare_input(Options &options) {
    if (const auto recording = common::describe_on_all(names_of(options)))
        take_from_recording(*recording, options);
    else if (options.frames == 0)
        options.frames = usual_frames;
    create_recording(options);
    if (options.sigmf_in.empty() && options.targets.empty())
        options.targets = usual_targets(options.radar);
}

Input::Input(const Options &options)
    : radar_(options.radar), files_(common::open_files(names_of(options), options.out_type)) {
    if (options.sigmf_in.empty())
        scene_ = std::make_unique<Scene>(radar_, options.targets);
}

void Input::fill(std::int64_t frame, std::int64_t first, std::int64_t end, cshort *samples) const {
    const std::int64_t pulse = radar_.ranges * radar_.channels;
    const std::int64_t place = (frame * radar_.pulses + first) * pulse, count = (end - first) * pulse;
    if (files_.in)
        files_.in->read(place, count, samples);
    else
        scene_->fill(frame, first, end, samples);
    if (files_.out)
        files_.out->write(place, count, samples);
}

} // namespace radar
