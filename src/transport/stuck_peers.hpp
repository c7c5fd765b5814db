// Answers processes that wait in vain for a process whose collective step has failed.
#pragma once

#include "transport/packet.hpp"

namespace dri::transport {

// Another step, in which a child takes part instead of this one, and the stamp with which the child began it.
struct Foreign {
    Label label;
    uint64_t begun = 0;
};

struct FailedStep {
    const Label &label;
    uint64_t begun;                   // the stamp with which this process began the step
    std::span<const int> members;     // in ascending order
    std::span<const Foreign> foreign; // the other steps in which children take part
    const Failure &failure;
    std::string time_out; // the text of the failure if it is a timeout
};

// Sends the failure to each process that waits for this one in vain. Without it that process would fail later, by
// its own deadline. Messages of other processes are kept for the steps that they belong to. Cost: one poll per
// process of the world, and only after a failed step.
void answer_stuck_peers(Transport &transport, int tag, const FailedStep &step);

} // namespace dri::transport
