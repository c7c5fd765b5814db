// What the roots of a graph reach. The result has an order of its own, which does not depend on the order in which
// nodes were added.
#pragma once

#include "graph/body.hpp"

namespace dri::graph {

// Live nodes and calls by their numbers in the body.
struct Reached {
    std::vector<int> nodes;          // each behind the nodes that it is computed from; no sends, no staples
    std::vector<int> calls;          // each behind the calls that write what it reads
    std::vector<int> sends;          // sorted by receiver and tag, later ones of the same behind
    std::vector<int> recvs;          // sorted by sender and tag
    std::vector<int> sources, sinks; // sorted by name

    bool has(int node) const { return is_live[static_cast<size_t>(node)]; }
    std::vector<bool> is_live; // per node of the body
};

// Fails with DRI_ERR_ARG for a value that is needed and that no call writes, and with DRI_ERR_CYCLE for calls that
// need each other.
Reached reach(const GraphBody &body);

} // namespace dri::graph
