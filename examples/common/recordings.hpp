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

// Collective. Makes the recording that is to be written, if any, in the type of the option; refuses to overwrite
// the one that is read. Throws Failure on all processes alike.
void create_on_first(const Recordings &recordings, Recording recording, const std::string &description);

// What a process has open. Null where there is none.
struct SampleFiles {
    Recording recorded; // what `in` holds
    std::unique_ptr<SampleFile> in, out;

    // Reads samples where there is a recording, else calls simulate() for them; keeps them where that is asked
    // for. first, count: as of SampleFile.
    template <typename Sample, typename Simulate>
    void fill(std::int64_t first, std::int64_t count, Sample *samples, const Simulate &simulate) const {
        if (in)
            in->read(first, count, samples);
        else
            simulate();
        if (out)
            out->write(first, count, samples);
    }
};
// Throws Failure.
SampleFiles open_files(const Recordings &recordings);

} // namespace common
