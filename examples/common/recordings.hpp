// The recordings that a program reads and writes: its options about them, and what its processes do with them.
#pragma once

#include "command_line.hpp"
#include "sigmf.hpp"

#include <memory>
#include <optional>

namespace common {

struct Recordings {
    std::filesystem::path in, out; // empty: none
    std::string out_type;          // as the option has it

    // The three options --sigmf-in, --sigmf-out and --sigmf-type. simulated: what takes the place of a recording.
    // type: what is written where the option does not say.
    void add_options(CommandLine &asked, const std::string &simulated, SampleType type);
};

// Collective. What is to be read, if anything. Throws Failure on all processes alike.
std::optional<Recording> describe_on_all(const Recordings &recordings);

// How many frames to take from what is to be read: as many as asked for, with 0 all that it holds. Each has `size`
// new samples, and `beside` more are behind the last one's. Throws Failure(exit_data) where it holds no such
// frame, or fewer than asked for.
std::int64_t frames_to_read(const Recordings &recordings, const Recording &recording, std::int64_t asked,
                            std::int64_t size, std::int64_t beside);

// Collective. Reads so many samples of what is to be read, if anything: each of `readers`, the processes that will
// work on them, a share. Throws Failure(exit_data) on all processes alike, which names the first one of them that
// is no finite number or too great (SampleFile::find_unusable).
void check_samples(const Recordings &recordings, std::int64_t samples, const std::vector<int> &readers);

// What so many frames are as a recording in the type of the option. like: its rate, frequency and channels. size,
// beside: as above. Throws Failure(exit_usage) where they are to be written and no file can hold them.
Recording describe_frames(const Recordings &recordings, const Recording &like, std::int64_t frames,
                          std::int64_t size, std::int64_t beside);

// Collective. Makes the recording that is to be written, if any; refuses to overwrite the one that is read. It
// replaces one of the same name, so it comes after all else that may refuse the run. Throws Failure on all
// processes alike.
void create_on_first(const Recordings &recordings, const Recording &recording, const std::string &description);

// What a process has open. Null where there is none.
struct SampleFiles {
    Recording recorded; // what `in` holds
    std::unique_ptr<SampleFile> in;
    std::unique_ptr<SampleFile> out; // from the first samples on: before, it may not have been made
    std::filesystem::path out_name;  // empty: none
    SampleType out_type = SampleType::ci16;

    // Reads samples where there is a recording, else calls simulate() for them; keeps them where that is asked
    // for. first, count: as of SampleFile.
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
