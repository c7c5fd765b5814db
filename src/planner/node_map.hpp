// Which processes share a node, and which of them can read one another's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dri {

class NodeMap {
public:
    NodeMap() = default; // every process has a node of its own
    // memory_of_rank: the lowest rank that shares memory with each rank, itself where nobody does; without it, all
    // on a node do.
    explicit NodeMap(std::vector<int> node_of_rank, std::vector<int> memory_of_rank = {});

    int node(int rank) const { return nodes_.empty() ? rank : nodes_[static_cast<size_t>(rank)]; }
    // The ranks on a node that is not empty, in rising order, and how many nodes come before it. O(log P). Only
    // where processes may share nodes.
    bool shared() const { return !nodes_.empty(); }
    int64_t count() const { return static_cast<int64_t>(starts_.size()) - 1; }
    std::span<const int> ranks_on(int node) const;
    int64_t nodes_before(int node) const;

    bool share_memory(int a, int b) const { return memory(a) == memory(b); }
    bool any_share_memory() const; // O(P)

private:
    size_t find(int node) const; // in starts_
    int memory(int rank) const { return memory_.empty() ? node(rank) : memory_[static_cast<size_t>(rank)]; }

    std::vector<int> nodes_;   // by rank of the world
    std::vector<int> memory_;  // the same
    std::vector<int> by_node_; // ranks, ordered by their nodes
    std::vector<int> starts_;  // where each node begins in by_node_, and its end. At most 16 bytes for each rank
};

} // namespace dri
