// Who waits in vain for a process whose step has failed.
#pragma once

#include "transport/packet.hpp"

namespace dri {

// What a child takes part in that is not this step, and the stamp that it began with.
struct Foreign {
    Label label;
    uint64_t begun = 0;
};

struct FailedStep {
    const Label &label;
    uint64_t begun;                   // stamp that the process began it with
    std::span<const int> members;     // ascending
    std::span<const Foreign> foreign; // what children said who take part in something else
    const Failure &failure;
    std::string time_out; // its words, where it is a deadline
};

// Who waits here in vain gets the same failure, instead of a deadline of its own later. Messages of others are
// kept for the steps that they belong to. Costs a look at every process, but only where a step has failed.
void answer_stuck_peers(Transport &transport, int tag, const FailedStep &step);

} // namespace dri
