// The pipeline: all stages on one process.
#pragma once

#include "stages.hpp"

#include <functional>

namespace radar {

struct Pipeline {
    FrontEnd front;
    DopplerStage doppler;
    Arrivals arrivals;

    Pipeline(const Options &options, const Roles &roles)
        : front(options, roles), doppler(options, roles), arrivals(options, roles) {}
};

// The tracker's function for each frame.
using Follow = std::function<void(const dri::Frame &, std::span<const Report>)>;

// Runs the next frame through all stages of this process. False after the last frame, and if the process has no
// stage.
bool run_frame(Pipeline &pipeline, const Follow &follow);

// Sends the last frame's map from the Doppler stage to the tracker.
void hand_over_map(Pipeline &pipeline);

} // namespace radar
