#include "recordings.hpp"

#include "program.hpp"

#include <algorithm>

namespace common {
namespace {

SampleType out_type(const Recordings &recordings) {
    return recordings.out_type == name_of(SampleType::ci16) ? SampleType::ci16 : SampleType::cf32;
}

} // namespace

void Recordings::add_options(CommandLine &asked, const std::string &simulated, SampleType type) {
    out_type = name_of(type);
    asked.add("--sigmf-in", in,
              ("Read the samples from this SigMF recording (NAME, or NAME.sigmf-meta), to its end; without it, " +
               simulated + " are simulated")
                  .c_str());
    asked.add("--sigmf-out", out, "Also write the samples as a SigMF recording");
    asked.add_choice("--sigmf-type", out_type, {name_of(SampleType::ci16), name_of(SampleType::cf32)},
                     "Its samples: ci16_le or cf32_le");
}

std::optional<Recording> describe_on_all(const Recordings &recordings) {
    Recording recording;
    on_first_process([&] {
        if (!recordings.in.empty())
            recording = describe_sigmf(recordings.in);
    });
    broadcast(&recording, sizeof recording);
    if (recordings.in.empty())
        return std::nullopt;
    return recording;
}

std::int64_t frames_to_read(const Recordings &recordings, const Recording &recording, std::int64_t asked,
                            std::int64_t size, std::int64_t beside) {
    const std::int64_t held = std::max<std::int64_t>(0, recording.samples - beside) / size;
    if (held < std::max<std::int64_t>(asked, 1))
        throw Failure(exit_data, sigmf_data_path(recordings.in).string() + ": holds " +
                                     std::to_string(recording.samples) + " samples, " + std::to_string(held) +
                                     " frames of " + std::to_string(size));
    return asked == 0 ? held : asked;
}

void create_on_first(const Recordings &recordings, Recording recording, const std::string &description) {
    on_first_process([&] {
        if (recordings.out.empty())
            return;
        std::error_code error;
        if (std::filesystem::equivalent(sigmf_data_path(recordings.in), sigmf_data_path(recordings.out), error))
            throw Failure(exit_output, recordings.out.string() + ": would overwrite what is read");
        recording.type = out_type(recordings);
        create_sigmf(recordings.out, recording, description);
    });
}

SampleFiles open_files(const Recordings &recordings) {
    SampleFiles files;
    if (!recordings.in.empty()) {
        files.recorded = describe_sigmf(recordings.in);
        files.in = std::make_unique<SampleFile>(recordings.in, files.recorded.type, SampleFile::Use::read);
    }
    if (!recordings.out.empty())
        files.out = std::make_unique<SampleFile>(recordings.out, out_type(recordings), SampleFile::Use::write);
    return files;
}

} // namespace common
