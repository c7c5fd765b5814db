// What moves the operations of one process: one endpoint for each port, one for each long array between two
// processes, and one for all short arrays that go from one part to a part of another process.
#pragma once

#include "graph/plan_body.hpp"

namespace dri::graph {

// What stands before the nodes of a carrier that is no port.
struct CarrierHeader {
    int64_t frame;     // of the sender
    int64_t number;    // of the DRI_Frame that travels with it
    int64_t time_ns;   // of the same
    int32_t bytes;     // of its data, which follow the header where the plan is a stream
    int32_t ended_by;  // 1 + the process that ended the stream; 0: it goes on
    int32_t alive_by;  // 1 + a process whose call without inputs has made this frame; 0: none
    int32_t failed_on; // 1 + the process where a call failed; 0: none. Then nothing else is valid
    int32_t code;      // of that call
    char call[20];     // its name, cut
};
static_assert(sizeof(CarrierHeader) == 64);

// A node in a carrier's buffer.
struct CarriedNode {
    int node = -1;
    int64_t offset = 0; // in bytes, from the start of the buffer
    int64_t operation = -1;
};

struct Carrier {
    bool is_source = false;
    bool is_port = false;
    bool may_close = false;    // the source port of a stream: its last frame is told to all its sinks
    bool holds_output = false; // a sink with a node that is an output: its frame stays until the next one
    int part = 0;              // of this process
    int peer = -1;             // the other process; -1: of a port, and if there are several
    int64_t bytes = 0;         // of the buffer; of a port 0: its endpoint knows
    std::string name;          // of the transfer. All its processes have the same
    std::vector<CarriedNode> nodes;
    size_t carried = 0; // more than the nodes if a long one goes to several processes

    // For messages.
    std::string text(const Operations &operations) const;
};

// Arrays up to this length share a carrier.
constexpr int64_t most_shared_bytes = 16384;

// scope_name: prefix for the names of transfers, the same on all processes.
std::vector<Carrier> carriers_of(const PlanBody &plan, bool is_stream, const std::string &scope_name);

} // namespace dri::graph
