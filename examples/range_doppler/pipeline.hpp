// All stages that a process has.
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

// What the tracker does with a frame.
using Follow = std::function<void(const DRI_Frame &, std::span<const Report>)>;

// The next frame, through all stages that this process has. False after the last one, and where it has none.
bool run_frame(Pipeline &pipeline, const Follow &follow);

// The last frame's map, from the Doppler stage to the tracker.
void hand_over_map(Pipeline &pipeline);

} // namespace radar
