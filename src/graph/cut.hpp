// The parts of one process: what each waits for and sends, and where each node and each call is.
#pragma once

#include "graph/operations.hpp"
#include "graph/reach.hpp"

namespace dri::graph {

// Operations of a part, by their numbers.
struct PartOperations {
    int64_t slot = 0; // it sends operations of this batch and receives those of the batch before
    std::vector<int64_t> recvs, sends;
};

// At least one part.
std::vector<PartOperations> parts_of(const Operations &operations, int rank);

struct ProcessCut {
    std::vector<PartOperations> parts;
    std::vector<int> node_part; // per node of the body; -1: not live, or an input or a constant that is not stored
    std::vector<int> call_part; // per call of the body; -1: not live
    std::vector<bool> is_stored, is_promoted; // per node of the body
    std::vector<std::string> names;           // per node of the body: stored or promoted ones
    std::vector<std::vector<int>> reads;      // per part: nodes of other parts, and nodes that it receives
};

ProcessCut cut(const GraphBody &body, const Reached &reached, const Operations &operations, int rank);

} // namespace dri::graph
