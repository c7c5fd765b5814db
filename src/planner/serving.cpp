#include "planner/serving.hpp"

#include <algorithm>

namespace dri {

namespace {

// The turn of a sink's process among those that one source part serves. Its coordinates add up, because the
// processes that share elements with that part are a box of the sink's grid, and a box's positions may all be
// even. Boxes have no coordinates; their positions serve.
int64_t turn_of(const Distribution &sink, int position) {
    if (!sink.is_grid())
        return position;
    const int64_t part = sink.part_of_position(position);
    int64_t turn = position / sink.parts();
    for (int64_t c : sink.coords_of_part(part))
        turn += c;
    return turn;
}

} // namespace

Servers::Servers(const Distribution &source, int64_t part, const NodeMap &nodes)
    : source_(source), part_(part), nodes_(nodes) {
    if (source.replicas() == 1)
        return;
    for (int64_t k = 0; k < source.replicas(); ++k) {
        const int rank = source.group().rank(source.position_of_part(part, k));
        by_node_.push_back({nodes.node(rank), rank});
    }
    std::sort(by_node_.begin(), by_node_.end());
}

int Servers::rank_for(const Distribution &sink, int sink_position) const {
    if (source_.replicas() == 1)
        return source_.group().rank(source_.position_of_part(part_, 0));
    const int rank = sink.group().rank(sink_position);
    const auto own = source_.group().position(rank);
    if (own && source_.part_of_position(*own) == part_)
        return rank;
    const int64_t turn = turn_of(sink, sink_position);
    const int node = nodes_.node(rank);
    const auto before = [](const Copy &copy, int value) { return copy.node < value; };
    const auto first = std::lower_bound(by_node_.begin(), by_node_.end(), node, before);
    auto last = first;
    while (last != by_node_.end() && last->node == node)
        ++last;
    if (first != last)
        return first[turn % (last - first)].rank;
    return source_.group().rank(source_.position_of_part(part_, turn % source_.replicas()));
}

} // namespace dri
