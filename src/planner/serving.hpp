// Chooses which copy of a replicated source serves which process of a sink.
#pragma once

#include "model/distribution.hpp"
#include "planner/node_map.hpp"

namespace dri::planner {

// The copies of one part of a source. Construction costs O(copies log copies).
class Servers {
public:
    Servers(const model::Distribution &source, int64_t part, const NodeMap &nodes);

    // The rank that serves a sink's process:
    // - the process itself if it holds a copy;
    // - otherwise a copy on its node, in rotation;
    // - without a copy on the node, one of all copies, in rotation.
    // Cost: O(log P), and O(dimensions) for each process on its node if there is a choice.
    int rank_for(const model::Distribution &sink, int sink_position) const;

private:
    struct Copy {
        int node, rank;
        friend auto operator<=>(const Copy &, const Copy &) = default;
    };

    bool has_copy(int rank) const;
    bool may_want(const model::Distribution &sink, int sink_position) const;
    int64_t wanting_before(const model::Distribution &sink, int rank) const;
    int64_t far_rotation_index(const model::Distribution &sink, int sink_position) const;

    const model::Distribution &source_;
    int64_t part_;
    const NodeMap &nodes_;
    std::vector<Copy> by_node_;
    std::vector<int> near_; // nodes with a copy, in rising order
};

} // namespace dri::planner
