// Which processes share a node.
#pragma once

#include <vector>

namespace dri {

class NodeMap {
public:
    NodeMap() = default; // every process has a node of its own
    explicit NodeMap(std::vector<int> node_of_rank) : nodes_(std::move(node_of_rank)) {}

    int node(int rank) const { return nodes_.empty() ? rank : nodes_[static_cast<size_t>(rank)]; }

private:
    std::vector<int> nodes_; // by rank of the world; 4 bytes for each
};

} // namespace dri
