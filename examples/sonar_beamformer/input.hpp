// Where the front end's samples come from, and where they are kept.
#pragma once

#include "options.hpp"

#include <memory>

namespace sonar {

// Collective. Looks at the recording, if there is one, and takes from it sensors, sample rate, centre frequency
// and the number of frames. Gives what the frames are as a recording. Throws Failure on all processes alike.
common::Recording prepare_input(Options &options);

// Collective. Makes the recording that is to be written, if any, of what prepare_input() gave; before the first
// fill(), after all else that may refuse the run. Throws Failure on all processes alike.
void create_recording(const Options &options, const common::Recording &frames);

class Input {
public:
    explicit Input(const Options &options);

    // Samples [first, first + count) of a frame: [sample][sensor]. False where there are no more frames. Throws
    // Failure.
    bool fill(std::int64_t frame, std::int64_t first, std::int64_t count, cfloat *samples);

private:
    std::int64_t sensors_, frame_samples_, frames_;
    std::unique_ptr<Sea> sea_;
    common::SampleFiles files_;
};

} // namespace sonar
