// What is wrong with graphs or parts. All processes find the same faults in the same order.
#pragma once

#include "graph/operation.hpp"

#include <dri/graph_plan.h>

#include <vector>

namespace dri::graph {

struct GraphFault {
    GraphFault(DRI_Fault_kind what, OperationName which, int on_rank, int in_part = -1, std::string of_name = {})
        : kind(what), operation(std::move(which)), rank(on_rank), pid(in_part), name(std::move(of_name)) {}

    DRI_Fault_kind kind;
    OperationName operation; // an empty tag: none
    int rank, pid;
    std::string name;
    std::string detail{}; // further words for the message

    // The operation of a cycle of operations, else the part.
    std::string subject() const;
    std::string text() const;
};

// Forgets the faults of this thread's last call.
void forget_faults() noexcept;

// Goes on if there are none. Otherwise sorts and keeps them for DRI_graph_get_faults, and fails with the code and
// the text of the first.
void require_faultless(std::vector<GraphFault> faults);

} // namespace dri::graph
