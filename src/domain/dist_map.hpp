// Maps of distributions.
#pragma once

#include "domain/holding.hpp"
#include "outer/owned.hpp"

#include <memory>
#include <string>
#include <vector>

namespace dri::domain {

struct DistMap {
    // Shared, because a map is a value. Its own handle.
    std::shared_ptr<const outer::OwnedDist> dist;
    Dims sizes;             // of the GDO
    std::vector<int> ranks; // of the world, in the group's order
    bool is_grid = true;    // otherwise exact pieces
    bool overlaps = false;  // some part has overlap

    DRI_Dist handle() const { return dist->get(); }
};

// Makes a distribution of its own from the user's. Fails as DRI_map_create_dist.
DistMap make_dist_map(DRI_Dist dist);
// The packed form of the distribution, and the map of such bytes.
std::vector<std::byte> packed_dist(const DistMap &map);
DistMap make_dist_map(const std::vector<std::byte> &packed);

// The rule of a dimension. Its lists are the map's.
DRI_Part_dim rule_of(const DistMap &map, size_t d);
// The rank of the owner. Fails with DRI_ERR_ARG outside the GDO.
int owner_rank_of(const DistMap &map, const int64_t index[]);
// What a position holds of a domain. The whole GDO as it is in the distribution, with or without overlap; of other
// domains what the position owns, in rising order and without overlap.
Holding holding_of(const DistMap &map, const Ranges &ranges, const Dims &sizes, int position, bool with_rims);
// Fails with DRI_ERR_ARG for a domain outside the GDO.
void require_inside(const DistMap &map, const Ranges &ranges);
// Whether these are all indices of the GDO in their order.
bool is_whole(const DistMap &map, const Ranges &ranges);
bool are_equal(const DistMap &a, const DistMap &b);
std::string rule_text(const DistMap &map);
std::string part_text(const DistMap &map, int position);

} // namespace dri::domain
