// The source of the front end's samples, and the recording to which they are written.
#pragma once

#include "options.hpp"

#include <memory>

namespace radar {

// Collective. If there is a recording, takes from it the channels and the number of frames. Returns the
// description of the frames as a recording. Throws Failure on all processes.
common::Recording prepare_input(Options &options);

// Collective. Creates the recording to write, if there is one, as prepare_input() described it. Call it before the
// first fill(), and after everything else that may end the run. Throws Failure on all processes.
void create_recording(const Options &options, const common::Recording &frames);

class Input {
public:
    explicit Input(const Options &options);

    // Fills in the pulses [first, end) of a frame: [pulse][range][channel]. False if there are no more frames.
    // Throws Failure.
    bool fill(std::int64_t frame, std::int64_t first, std::int64_t end, cshort *samples);

    // The waveform. Sample rate and carrier are those of the recording, if there is one.
    const Waveform &waveform() const { return radar_.waveform(); }

private:
    Radar radar_;
    std::int64_t frames_;
    std::unique_ptr<Scene> scene_;
    common::SampleFiles files_;
};

} // namespace radar
