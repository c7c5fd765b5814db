// The recordings that a program reads and writes, as all its processes see them.
#pragma once

#include "sigmf.hpp"

#include <memory>
#include <optional>

namespace common {

struct RecordingNames {
    std::filesystem::path in, out; // empty: none
};

// Collective. What is to be read, if anything. Throws Failure on all processes alike.
std::optional<Recording> describe_on_all(const RecordingNames &names);

// Collective. Makes the recording that is to be written, if any; refuses to overwrite the one that is read. Throws
// Failure on all processes alike.
void create_on_first(const RecordingNames &names, const Recording &recording, const std::string &description);

// Null where there is none.
struct SampleFiles {
    std::unique_ptr<SampleFile> in, out;
};
SampleFiles open_files(const RecordingNames &names, SampleType out_type);

} // namespace common
