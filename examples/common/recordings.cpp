#include "recordings.hpp"

#include "program.hpp"

namespace common {

std::optional<Recording> describe_on_all(const RecordingNames &names) {
    Recording recording;
    on_first_process([&] {
        if (!names.in.empty())
            recording = describe_sigmf(names.in);
    });
    broadcast(&recording, sizeof recording);
    if (names.in.empty())
        return std::nullopt;
    return recording;
}

void create_on_first(const RecordingNames &names, const Recording &recording, const std::string &description) {
    on_first_process([&] {
        if (names.out.empty())
            return;
        std::error_code error;
        if (std::filesystem::equivalent(sigmf_data_path(names.in), sigmf_data_path(names.out), error))
            throw Failure(exit_output, names.out.string() + ": would overwrite what is read");
        create_sigmf(names.out, recording, description);
    });
}

SampleFiles open_files(const RecordingNames &names, SampleType out_type) {
    SampleFiles files;
    if (!names.in.empty())
        files.in = std::make_unique<SampleFile>(names.in, describe_sigmf(names.in).type, SampleFile::Use::read);
    if (!names.out.empty())
        files.out = std::make_unique<SampleFile>(names.out, out_type, SampleFile::Use::write);
    return files;
}

} // namespace common
