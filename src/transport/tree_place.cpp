#include "transport/tree_place.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <bit>

namespace dri {

TreePlace find_place(std::span<const int> members, int rank) {
    const auto at = std::lower_bound(members.begin(), members.end(), rank);
    if (at == members.end() || *at != rank)
        fail(DRI_ERR_INTERNAL, "rank {} is no member of the group of its step", rank);
    const auto position = static_cast<size_t>(at - members.begin());
    TreePlace place;
    for (size_t bit = 1; !(position & bit) && position + bit < members.size(); bit <<= 1)
        place.children.push_back(members[position + bit]);
    if (position)
        place.parent = members[position & (position - 1)];
    place.depth = std::popcount(position);
    place.height = static_cast<int>(std::bit_width(members.size() - 1));
    return place;
}

std::string list_ranks(std::span<const int> ranks) {
    constexpr size_t most = 16;
    const auto named = ranks.first(std::min(ranks.size(), most));
    std::string text = fmt::format("{}", fmt::join(named, ", "));
    if (named.size() < ranks.size())
        text += fmt::format(" and {} more", ranks.size() - named.size());
    return text;
}

} // namespace dri
