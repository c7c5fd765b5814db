// Groups ranks by node, so that the ranks of a node are found by one binary search.
#include "planner/node_map.hpp"

#include <algorithm>
#include <numeric>

namespace dri::planner {

NodeMap::NodeMap(std::vector<int> node_of_rank, std::vector<int> memory_of_rank)
    : nodes_(std::move(node_of_rank)), memory_(std::move(memory_of_rank)), by_node_(nodes_.size()) {
    std::iota(by_node_.begin(), by_node_.end(), 0);
    std::stable_sort(by_node_.begin(), by_node_.end(), [this](int a, int b) { return node(a) < node(b); });
    for (size_t i = 0; i < by_node_.size(); ++i)
        if (i == 0 || node(by_node_[i]) != node(by_node_[i - 1]))
            starts_.push_back(static_cast<int>(i));
    starts_.push_back(static_cast<int>(by_node_.size()));
}

size_t NodeMap::find(int wanted) const {
    const auto node_at = [this](int start) { return node(by_node_[static_cast<size_t>(start)]); };
    const auto at = std::lower_bound(starts_.begin(), starts_.end() - 1, wanted,
                                     [&](int start, int value) { return node_at(start) < value; });
    return static_cast<size_t>(at - starts_.begin());
}

std::span<const int> NodeMap::ranks_on(int node) const {
    const size_t at = find(node);
    return std::span(by_node_).subspan(static_cast<size_t>(starts_[at]),
                                       static_cast<size_t>(starts_[at + 1] - starts_[at]));
}

int64_t NodeMap::nodes_before(int node) const { return static_cast<int64_t>(find(node)); }

bool NodeMap::any_share_memory() const {
    for (int rank = 0; rank < static_cast<int>(nodes_.size()); ++rank)
        if (memory(rank) != rank)
            return true;
    return false;
}

} // namespace dri::planner
