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
using Follow = std::function<void(const Stamp &, std::span<const Report>)>;

// Frames [first, end), one after the other.
void run_frames(Pipeline &pipeline, std::int64_t first, std::int64_t end, const Follow &follow);

// The last frame's map, from the Doppler stage to the tracker.
void hand_over_map(Pipeline &pipeline);

} // namespace radar
