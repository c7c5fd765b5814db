// Parts as processes describe them to each other, and their check.
#pragma once

#include "graph/faults.hpp"
#include "graph/shape.hpp"

namespace dri::graph {

// An operation at one of its ends.
struct DescribedEnd {
    OperationName operation;
    std::string name; // of the node there; empty: not told
    bool has_shape = false;
    NodeShape shape;
};

struct DescribedPart {
    int pid = 0;
    std::vector<int> needed;
    std::vector<DescribedEnd> recvs, sends;
    std::vector<std::string> reads, outputs;
};

struct DescribedParts {
    int rank = -1;
    std::vector<DescribedPart> parts;
};

void put(Writer &out, const DescribedParts &described);
DescribedParts get_parts(Reader &in);

// Everything that is wrong with the parts of all processes.
std::vector<GraphFault> faults_of(const std::vector<DescribedParts> &all);

} // namespace dri::graph
