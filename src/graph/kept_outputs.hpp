// Outputs of a stream that has ended, outside the buffers of carriers.
#pragma once

#include "graph/frame_pointers.hpp"

namespace dri::graph {

class KeptOutputs {
public:
    // Allocates the memory.
    KeptOutputs(const PlanBody &plan, const std::vector<Carrier> &carriers);

    // Gives all buffers back that hold outputs: a sender may need them for the end that it tells, and nobody takes
    // frames from them any more. slot: of the last frame, whose outputs move; -1: there is none.
    void move(std::vector<CarrierEnd> &ends, FramePointers &pointers, int slot);

private:
    struct Output {
        size_t carrier = 0;
        int node = -1;
        int64_t offset = 0, bytes = 0;
    };
    std::vector<Output> outputs_;
    AlignedBuffer memory_;
};

} // namespace dri::graph
