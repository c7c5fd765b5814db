// Binomial trees: member i has the parent i without its lowest set bit.
#include "transport/tree_position.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <bit>

namespace dri::transport {

TreePosition find_tree_position(std::span<const int> members, int rank) {
    const auto at = std::lower_bound(members.begin(), members.end(), rank);
    if (at == members.end() || *at != rank)
        fail(DRI_ERR_INTERNAL, "process {} is not a member of the group of its collective step", rank);
    const auto own = static_cast<size_t>(at - members.begin());
    TreePosition position;
    for (size_t bit = 1; !(own & bit) && own + bit < members.size(); bit <<= 1)
        position.children.push_back(members[own + bit]);
    if (own)
        position.parent = members[own & (own - 1)];
    position.depth = std::popcount(own);
    position.height = static_cast<int>(std::bit_width(members.size() - 1));
    return position;
}

std::string list_ranks(std::span<const int> ranks) {
    constexpr size_t max_named = 16;
    const auto named = ranks.first(std::min(ranks.size(), max_named));
    std::string text = fmt::format("{}", fmt::join(named, ", "));
    if (named.size() < ranks.size())
        text += fmt::format(" and {} more", ranks.size() - named.size());
    return text;
}

} // namespace dri::transport
