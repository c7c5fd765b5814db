#include "input.hpp"

#include "program.hpp"

#include <algorithm>

namespace sonar {
namespace {

using common::exit_data, common::exit_output, common::Failure;

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
    std::error_code error;
    if (std::filesystem::equivalent(common::sigmf_data_path(options.sigmf_in),
                                    common::sigmf_data_path(options.sigmf_out), error))
        throw Failure(exit_output, options.sigmf_out.string() + ": would overwrite what is read");
    common::create_sigmf(options.sigmf_out,
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
    common::Recording recording;
    common::on_first_process([&] {
        if (!options.sigmf_in.empty())
            recording = common::describe_sigmf(options.sigmf_in);
    });
    common::broadcast(&recording, sizeof recording);
    if (!options.sigmf_in.empty())
        take_from_recording(recording, options);
    else if (options.frames == 0)
        options.frames = usual_frames;
    common::on_first_process([&] {
        if (!options.sigmf_out.empty())
            create_recording(options);
    });
    if (options.sigmf_in.empty() && options.sources.empty() && options.tones.empty()) {
        options.sources = {{-40, 1.5, 0}, {25, 0.4, 0}};
        options.tones = {{1200, 55, -14}, {1730, -60, -14}};
    }
}

Input::Input(const Options &options) : sensors_(options.sonar.sensors) {
    using common::SampleFile;
    if (options.sigmf_in.empty())
        sea_ = std::make_unique<Sea>(options.sonar, options.sources, options.tones);
    else
        in_ = std::make_unique<SampleFile>(options.sigmf_in, common::describe_sigmf(options.sigmf_in).type,
                                           SampleFile::Use::read);
    if (!options.sigmf_out.empty())
        out_ = std::make_unique<SampleFile>(options.sigmf_out, options.out_type, SampleFile::Use::write);
}

void Input::fill(std::int64_t first, std::int64_t count, cfloat *samples) const {
    if (in_)
        in_->read(first * sensors_, count * sensors_, samples);
    else
        sea_->fill(first, count, samples);
    if (out_)
        out_->write(first * sensors_, count * sensors_, samples);
}

} // namespace sonar
