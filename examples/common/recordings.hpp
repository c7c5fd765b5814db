// The recordings that a program reads and writes: their options, and the common steps of the processes.
#pragma once

#include "command_line.hpp"
#include "sigmf.hpp"

#include <memory>
#include <optional>

namespace common {

struct Recordings {
    std::filesystem::path in, out; // empty: none
    std::string out_type;          // value of the option --sigmf-type

    // Adds the options --sigmf-in, --sigmf-out and --sigmf-type. simulated: what is simulated if there is no
    // recording. type: default of --sigmf-type.
    void add_options(CommandLine &asked, const std::string &simulated, SampleType type);
};

// Collective. Describes the recording to read, if there is one. Throws Failure on all processes.
std::optional<Recording> describe_on_all(const Recordings &recordings);

// Number of frames to take from the recording: `asked`, or all that it holds if `asked` is 0. Each frame has
// `size` new samples, and `beside` more must follow the last one. Throws Failure(exit_data) if the recording holds
// no frame, or fewer than requested.
std::int64_t frames_to_read(const Recordings &recordings, const Recording &recording, std::int64_t asked,
                            std::int64_t size, std::int64_t beside);

// Collective. Reads and checks the first `samples` samples of the recording to read, if there is one. They are
// divided among `readers`, the processes that will use them. Throws Failure(exit_data) on all processes. The
// message names the first sample that is not finite or too large (SampleFile::find_unusable).
void check_samples(const Recordings &recordings, std::int64_t samples, const std::vector<int> &readers);

// Describes `frames` frames as a recording of the type in the options. Sample rate, frequency and channels are
// those of `like`; size and beside are as above. Throws Failure(exit_usage) if the frames are to be written and no
// file can hold them.
Recording describe_frames(const Recordings &recordings, const Recording &like, std::int64_t frames,
                          std::int64_t size, std::int64_t beside);

// Collective. Creates the recording to write, if there is one. Refuses to overwrite the recording that is read.
// Replaces a recording of the same name, so call it after everything else that may end the run. Throws Failure on
// all processes.
void create_on_first(const Recordings &recordings, const Recording &recording, const std::string &description);

// The open files of a process. A pointer is null if there is no such file.
struct SampleFiles {
    Recording recorded; // description of `in`
    std::unique_ptr<SampleFile> in;
    std::unique_ptr<SampleFile> out; // opened at the first fill(), because it may not exist before
    std::filesystem::path out_name;  // empty: none
    SampleType out_type = SampleType::ci16;

    // Reads samples from the recording, or calls simulate() for them if there is none. Writes them if that was
    // requested. first, count: as in SampleFile.
    template <typename Sample, typename Simulate>
    void fill(std::int64_t first, std::int64_t count, Sample *samples, const Simulate &simulate) {
        if (in)
            in->read(first, count, samples);
        else
            simulate();
        if (!out && !out_name.empty())
            out = std::make_unique<SampleFile>(out_name, out_type, SampleFile::Use::write);
        if (out)
            out->write(first, count, samples);
    }
};
// Throws Failure.
SampleFiles open_files(const Recordings &recordings);

} // namespace common
