// Memory for the messages of a transfer in place: a pure function of its plan and of numbers.
#pragma once

#include "exec/lane_layout.hpp"
#include "plan/plan.hpp"

#include <cstdint>
#include <optional>

namespace dri::commit {

// In bytes.
struct InPlaceMemory {
    int64_t quota = 0;                        // what both endpoints should keep to: their buffer, divided by P
    int64_t source_limit = 0, sink_limit = 0; // workspace limits
    bool in_buffer = false;                   // messages may be sent from the buffers and received into them
};

// What the messages need at once. frames: number of buffers. in_buffer: as in InPlaceMemory.
exec::StagingBudget min_in_place_staging(const plan::Plan &plan, int64_t frames, bool in_buffer);
// Messages receive what they need at once. They receive more if it stays within the quota, half of it for sends
// and half for receives, and within both limits. Nothing if the limits do not even allow what is needed at once.
// Cost: a few walks over the messages.
std::optional<exec::StagingBudget> in_place_staging(const plan::Plan &plan, int64_t frames,
                                                    const InPlaceMemory &memory);

} // namespace dri::commit
