// Asks a map of whatever sort.
#include "domain/domain_map.hpp"
#include "outer/calls.hpp"

#include <algorithm>

namespace dri::domain {

namespace {

template <class... F> struct Visitor : F... { using F::operator()...; };
template <class... F> Visitor(F...) -> Visitor<F...>;

} // namespace

DomainMap::DomainMap(int ndims, std::vector<int> ranks, Sort sort)
    : ndims_(ndims), ranks_(std::move(ranks)), sort_(std::move(sort)) {
    for (size_t q = 0; q < ranks_.size(); ++q)
        by_rank_.emplace_back(ranks_[q], static_cast<int>(q));
    std::sort(by_rank_.begin(), by_rank_.end());
}

int DomainMap::position_of(int rank) const {
    const auto at = std::lower_bound(by_rank_.begin(), by_rank_.end(), std::pair(rank, 0));
    return at != by_rank_.end() && at->first == rank ? at->second : -1;
}

int DomainMap::checked_position(int rank) const {
    const int position = position_of(rank);
    if (position < 0)
        fail(DRI_ERR_ARG, "rank {} is not in the group of the map", rank);
    return position;
}

int DomainMap::owner(const int64_t index[]) const {
    if (const auto *grid_map = std::get_if<GridMap>(&sort_))
        return owner_of(*grid_map, index);
    if (const auto *dist_map = std::get_if<DistMap>(&sort_))
        return position_of(owner_rank_of(*dist_map, index));
    return std::get<UserMap>(sort_).owner(index, num_positions());
}

// A distribution answers with the rank itself.
int DomainMap::owner_rank(const int64_t index[]) const {
    if (const auto *dist_map = std::get_if<DistMap>(&sort_))
        return owner_rank_of(*dist_map, index);
    return ranks_[static_cast<size_t>(owner(index))];
}

FixedVector<int, max_dims> DomainMap::grid() const {
    FixedVector<int, max_dims> numbers(static_cast<size_t>(ndims_));
    if (const auto *grid_map = std::get_if<GridMap>(&sort_))
        for (size_t d = 0; d < numbers.size(); ++d)
            numbers[d] = grid_map->dims[d].nparts;
    else if (const auto *dist_map = std::get_if<DistMap>(&sort_))
        outer::require(DRI_dist_get_grid(dist_map->handle(), numbers.begin()));
    else
        fail(DRI_ERR_UNSUPPORTED, "the map '{}' is a user's, which has no grid", std::get<UserMap>(sort_).name());
    return numbers;
}

std::string DomainMap::rule() const {
    return std::visit(
        Visitor{[](const UserMap &map) { return map.text(); }, [](const auto &map) { return rule_text(map); }},
        sort_);
}

std::string DomainMap::describe() const {
    std::string text =
        fmt::format("{} over {} process{}", rule(), num_positions(), num_positions() == 1 ? "" : "es");
    const auto add = [&](const auto &map) {
        for (int q = 0; q < num_positions(); ++q)
            text += fmt::format("\n{}: {}", ranks_[static_cast<size_t>(q)], part_text(map, q));
    };
    std::visit(Visitor{[](const UserMap &) {}, add}, sort_);
    return text;
}

bool are_equal(const DomainMap &a, const DomainMap &b) {
    if (a.ndims() != b.ndims() || a.ranks() != b.ranks() || a.sort().index() != b.sort().index())
        return false;
    return std::visit(Visitor{[&](const UserMap &map) { return map.equals(std::get<UserMap>(b.sort())); },
                              [&](const auto &map) {
                                  return are_equal(map, std::get<std::remove_cvref_t<decltype(map)>>(b.sort()));
                              }},
                      a.sort());
}

} // namespace dri::domain
