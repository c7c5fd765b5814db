// Which processes share a node, and which of them can read each other's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dri::planner {

class NodeMap {
public:
    NodeMap() = default; // every process has a node of its own
    // memory_of_rank: for each rank the lowest rank that it shares memory with, or the rank itself if there is
    // none. If it is empty, all ranks of a node share memory.
    explicit NodeMap(std::vector<int> node_of_rank, std::vector<int> memory_of_rank = {});

    int node(int rank) const { return nodes_.empty() ? rank : nodes_[static_cast<size_t>(rank)]; }
    // The functions down to nodes_before may be called only if shared() is true. ranks_on: the ranks of a node
    // with at least one rank, in rising order. nodes_before: how many nodes have lower numbers. Cost: O(log P).
    bool shared() const { return !nodes_.empty(); }
    int64_t count() const { return static_cast<int64_t>(starts_.size()) - 1; }
    std::span<const int> ranks_on(int node) const;
    int64_t nodes_before(int node) const;

    bool share_memory(int a, int b) const { return memory(a) == memory(b); }
    bool any_share_memory() const; // O(P)

private:
    size_t find(int node) const; // index in starts_
    int memory(int rank) const { return memory_.empty() ? node(rank) : memory_[static_cast<size_t>(rank)]; }

    // The four lists need at most 16 bytes per rank together.
    std::vector<int> nodes_;   // by rank of the world
    std::vector<int> memory_;  // the same
    std::vector<int> by_node_; // ranks, ordered by their nodes
    std::vector<int> starts_;  // start of each node in by_node_, then the end of the last
};

} // namespace dri::planner
