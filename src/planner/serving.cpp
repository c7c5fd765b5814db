// Spreads the sinks of one source part evenly over the copies of that part, without communication.
#include "planner/serving.hpp"

#include <algorithm>

namespace dri::planner {

namespace {

// Index of a sink's process in the rotation over all copies, if each process has a node of its own. It is the sum
// of the coordinates: the sinks of one part are a box of the sink's grid, and the positions in a box may all be
// even. Boxes without a grid have no coordinates and use their position.
int64_t rotation_index(const model::Distribution &sink, int position) {
    if (!sink.is_grid())
        return position;
    const int64_t part = sink.part_of_position(position);
    int64_t index = position / sink.parts();
    for (int64_t c : sink.coords_of_part(part))
        index += c;
    return index;
}

} // namespace

Servers::Servers(const model::Distribution &source, int64_t part, const NodeMap &nodes)
    : source_(source), part_(part), nodes_(nodes) {
    if (source.replicas() == 1)
        return;
    for (int64_t k = 0; k < source.replicas(); ++k) {
        const int rank = source.group().rank(source.position_of_part(part, k));
        by_node_.push_back({nodes.node(rank), rank});
    }
    std::sort(by_node_.begin(), by_node_.end());
    for (const Copy &copy : by_node_)
        if (near_.empty() || near_.back() != copy.node)
            near_.push_back(copy.node);
}

bool Servers::has_copy(int rank) const {
    const auto own = source_.group().position(rank);
    return own && source_.part_of_position(*own) == part_;
}

// Whether the bounds of a sink's part meet those of the source part. A process that is counted although it needs
// nothing only makes the rotation less even.
bool Servers::may_want(const model::Distribution &sink, int sink_position) const {
    for (size_t d = 0; d < sink.ndims(); ++d) {
        const model::AxisBlock theirs = sink.axis_view(sink_position, d).bounds();
        const model::AxisBlock ours = source_.axis_view(source_.position_of_part(part_, 0), d).bounds();
        const int64_t n = sink.gdo().sizes[d], shift = sink.gdo().offset[d] - source_.gdo().offset[d];
        const int64_t lo = theirs.global - theirs.left_real, hi = theirs.global + theirs.size + theirs.right_real;
        if (theirs.size == 0 || ours.size == 0)
            return false;
        const bool wraps = lo < 0 || hi > n;
        if (!wraps && (hi + shift <= ours.global || lo + shift >= ours.global + ours.size))
            return false;
    }
    return true;
}

// Number of processes on the node of `rank`, before it, that need the part from others.
int64_t Servers::wanting_before(const model::Distribution &sink, int rank) const {
    int64_t count = 0;
    for (const int other : nodes_.ranks_on(nodes_.node(rank))) {
        if (other == rank)
            break;
        const auto position = sink.group().position(other);
        count += position && !has_copy(other) && may_want(sink, *position);
    }
    return count;
}

// Index in the rotation over all copies for a node without a copy. These nodes rotate among themselves: first the
// first process of each node, then the second ones.
int64_t Servers::far_rotation_index(const model::Distribution &sink, int sink_position) const {
    if (!nodes_.shared())
        return rotation_index(sink, sink_position);
    const int rank = sink.group().rank(sink_position), node = nodes_.node(rank);
    if (nodes_.ranks_on(node).size() == 1)
        return rotation_index(sink, sink_position);
    const auto copies_before = std::lower_bound(near_.begin(), near_.end(), node) - near_.begin();
    const int64_t far_nodes = nodes_.count() - std::ssize(near_);
    return wanting_before(sink, rank) * far_nodes + nodes_.nodes_before(node) - copies_before;
}

int Servers::rank_for(const model::Distribution &sink, int sink_position) const {
    if (source_.replicas() == 1)
        return source_.group().rank(source_.position_of_part(part_, 0));
    const int rank = sink.group().rank(sink_position);
    if (has_copy(rank))
        return rank;
    const int node = nodes_.node(rank);
    const auto before = [](const Copy &copy, int value) { return copy.node < value; };
    const auto first = std::lower_bound(by_node_.begin(), by_node_.end(), node, before);
    auto last = first;
    while (last != by_node_.end() && last->node == node)
        ++last;
    if (last - first == 1)
        return first->rank;
    if (first != last)
        return first[wanting_before(sink, rank) % (last - first)].rank;
    // The rotation starts with the last copy, because processes that serve their own node start with its first
    // copy.
    const int64_t index = far_rotation_index(sink, sink_position) % source_.replicas();
    return source_.group().rank(source_.position_of_part(part_, source_.replicas() - 1 - index));
}

} // namespace dri::planner
