// Brings sends and receives together by name.
#pragma once

#include "graph/faults.hpp"

#include <cstddef>

namespace dri::graph {

// One side of an operation between two processes.
struct OperationEnd {
    OperationName name;
    bool is_send = false;
    int rank = -1, pid = -1; // pid -1: parts play no role
    int shape = -1;          // any number that is equal for equal shapes; -1: not known
};

// An operation with its first send and its first receive, by their places in the list of ends.
struct MatchedEnds {
    OperationName name;
    std::ptrdiff_t send = -1, recv = -1; // -1: there is none
};

struct MatchingFound {
    std::vector<MatchedEnds> operations; // sorted by name; without those from a process to itself
    std::vector<GraphFault> faults;      // self, duplicate, missing, mismatch
};

// text_of_shape: for messages.
template <class Text> MatchingFound match_ends(const std::vector<OperationEnd> &ends, const Text &text_of_shape);

MatchingFound match_without_shapes(const std::vector<OperationEnd> &ends);

template <class Text> MatchingFound match_ends(const std::vector<OperationEnd> &ends, const Text &text_of_shape) {
    MatchingFound found = match_without_shapes(ends);
    for (const MatchedEnds &one : found.operations) {
        if (one.send < 0 || one.recv < 0)
            continue;
        const int sent = ends[static_cast<size_t>(one.send)].shape,
                  received = ends[static_cast<size_t>(one.recv)].shape;
        if (sent < 0 || received < 0 || sent == received)
            continue;
        GraphFault fault{DRI_FAULT_MISMATCH, one.name, one.name.dest};
        fault.detail = "sent is " + text_of_shape(sent) + ", received " + text_of_shape(received);
        found.faults.push_back(std::move(fault));
    }
    return found;
}

} // namespace dri::graph
