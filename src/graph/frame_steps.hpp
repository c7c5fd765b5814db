// A frame of one process as a list of steps.
#pragma once

#include "graph/carriers.hpp"

namespace dri::graph {

enum class StepKind : uint8_t {
    begin,   // of a part
    acquire, // of a carrier: its next buffer
    call,    //
    copy,    // a node into a carrier's buffer
    insert,  // of a carrier: hands it over
    wait,    // of a carrier: for its frame
    release, // of a carrier
};

struct FrameStep {
    StepKind kind{};
    int part = 0;
    int index = 0; // of the carrier, the call or the copy
};

struct NodeCopy {
    int node = -1, carrier = -1;
    int64_t offset = 0, bytes = 0;
    bool is_constant = false; // the same in every frame, so it is enough to fill each buffer once
};

// Where a node lies.
struct NodeHome {
    enum class Where : uint8_t { nowhere, user, constant, memory, carrier };
    Where where = Where::nowhere;
    int carrier = -1;
    int64_t offset = 0; // in the memory of the frame, or in the carrier's buffer
};

struct FrameSteps {
    std::vector<FrameStep> steps;
    std::vector<NodeCopy> copies;
    std::vector<NodeHome> homes; // per node of the body
    int64_t memory_bytes = 0;    // for the nodes of one frame
    size_t last_wait = 0;        // of the steps; 0 if there is none
};

// Nodes that no carrier holds have no place yet: see place_in_memory.
FrameSteps steps_of(const PlanBody &plan, const std::vector<Carrier> &carriers);

} // namespace dri::graph
