// Where the front end's samples come from, and where they are kept.
#pragma once

#include "options.hpp"

#include <memory>

namespace radar {

// Collective. Looks at the recording, if there is one, and takes from it channels and the number of frames. Gives
// what the frames are as a recording. Throws Failure on all processes alike.
common::Recording prepare_input(Options &options);

// Collective. Makes the recording that is to be written, if any, of what prepare_input() gave; before the first
// fill(), after all else that may refuse the run. Throws Failure on all processes alike.
void create_recording(const Options &options, const common::Recording &frames);

class Input {
public:
    explicit Input(const Options &options);

    // The pulses [first, end) of a frame: [pulse][range][channel]. False where there are no more frames. Throws
    // Failure.
    bool fill(std::int64_t frame, std::int64_t first, std::int64_t end, cshort *samples);

    // Sample rate and carrier are those of the recording, if there is one.
    const Waveform &waveform() const { return radar_.waveform(); }

private:
    Radar radar_;
    std::int64_t frames_;
    std::unique_ptr<Scene> scene_;
    common::SampleFiles files_;
};

} // namespace radar
