#include "recordings.hpp"

#include "program.hpp"

#include <algorithm>
#include <cstdio>

namespace common {
namespace {

SampleType out_type(const Recordings &recordings) {
    return recordings.out_type == name_of(SampleType::ci16) ? SampleType::ci16 : SampleType::cf32;
}

std::string describe_unusable(const Recordings &recordings, const SampleFile::Unusable &found,
                              std::int64_t channels) {
    char text[160];
    std::snprintf(text, sizeof text,
                  ": sample %lld of channel %lld is (%g, %g); both parts must be from %.0f to %.0f",
                  static_cast<long long>(found.index / channels), static_cast<long long>(found.index % channels),
                  static_cast<double>(found.value.real()), static_cast<double>(found.value.imag()),
                  -static_cast<double>(SampleFile::greatest), static_cast<double>(SampleFile::greatest));
    return sigmf_data_path(recordings.in).string() + text;
}

} // namespace

void Recordings::add_options(CommandLine &asked, const std::string &simulated, SampleType type) {
    out_type = name_of(type);
    asked.add("--sigmf-in", in,
              ("Read the samples from this SigMF recording (NAME or NAME.sigmf-meta) up to its end; without it, " +
               simulated + " are simulated")
                  .c_str());
    asked.add("--sigmf-out", out, "Also write the samples as a SigMF recording");
    asked.add_choice("--sigmf-type", out_type, {name_of(SampleType::ci16), name_of(SampleType::cf32)},
                     "Sample type of the recording that is written: ci16_le or cf32_le");
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

void check_samples(const Recordings &recordings, std::int64_t samples, const std::vector<int> &readers) {
    const auto position = std::find(readers.begin(), readers.end(), process_rank()) - readers.begin();
    const auto num_readers = static_cast<std::int64_t>(readers.size());
    if (recordings.in.empty())
        return;
    on_every_process([&] {
        if (position == num_readers)
            return;
        const SampleFiles files = open_files(recordings);
        const std::int64_t channels = files.recorded.channels, count = samples * channels;
        const std::int64_t begin =
            count / num_readers * position + std::min<std::int64_t>(position, count % num_readers);
        const std::int64_t own_count = count / num_readers + (position < count % num_readers ? 1 : 0);
        if (const auto found = files.in->find_unusable(begin, own_count))
            throw Failure(exit_data, describe_unusable(recordings, *found, channels));
    });
}

Recording describe_frames(const Recordings &recordings, const Recording &like, std::int64_t frames,
                          std::int64_t size, std::int64_t beside) {
    Recording recording = like;
    recording.type = out_type(recordings);
    std::int64_t bytes = 0;
    const bool too_long = __builtin_mul_overflow(frames, size, &recording.samples) ||
                          __builtin_add_overflow(recording.samples, beside, &recording.samples) ||
                          __builtin_mul_overflow(recording.samples, recording.channels, &bytes) ||
                          __builtin_mul_overflow(bytes, sample_bytes(recording.type), &bytes);
    if (too_long && !recordings.out.empty())
        throw Failure(exit_usage, "--sigmf-out: no file can hold " + std::to_string(frames) + " frames of " +
                                      std::to_string(size) + " samples of " + std::to_string(like.channels) +
                                      " channels");
    return recording;
}

void create_on_first(const Recordings &recordings, const Recording &recording, const std::string &description) {
    on_first_process([&] {
        if (recordings.out.empty())
            return;
        std::error_code error;
        if (std::filesystem::equivalent(sigmf_data_path(recordings.in), sigmf_data_path(recordings.out), error))
            throw Failure(exit_output, recordings.out.string() + ": would overwrite the recording that is read");
        create_sigmf(recordings.out, recording, description);
    });
}

SampleFiles open_files(const Recordings &recordings) {
    SampleFiles files;
    if (!recordings.in.empty()) {
        files.recorded = describe_sigmf(recordings.in);
        files.in = std::make_unique<SampleFile>(recordings.in, files.recorded.type, SampleFile::Use::read);
    }
    files.out_name = recordings.out;
    files.out_type = out_type(recordings);
    return files;
}

} // namespace common
