// A map of any sort, with its processes.
#pragma once

#include "domain/dist_map.hpp"
#include "domain/grid_map.hpp"
#include "domain/user_map.hpp"

#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace dri::domain {

class DomainMap {
public:
    using Sort = std::variant<GridMap, DistMap, UserMap>;
    // ranks: of the world, in the group's order.
    DomainMap(int ndims, std::vector<int> ranks, Sort sort);

    int ndims() const { return ndims_; }
    const std::vector<int> &ranks() const { return ranks_; }
    int num_positions() const { return static_cast<int>(ranks_.size()); }
    const Sort &sort() const { return sort_; }

    // The position of a rank, or -1 if it is not in the group.
    int position_of(int rank) const;
    // The same. Fails with DRI_ERR_ARG.
    int checked_position(int rank) const;
    // The position of the owner.
    int owner(const int64_t index[]) const;
    // The rank of the owner.
    int owner_rank(const int64_t index[]) const;
    // Fails with DRI_ERR_UNSUPPORTED if there is none.
    FixedVector<int, max_dims> grid() const;

    // "block({1..8})": the rule alone.
    std::string rule() const;
    std::string describe() const;

private:
    int ndims_;
    std::vector<int> ranks_;
    std::vector<std::pair<int, int>> by_rank_; // with their positions
    Sort sort_;
};

bool are_equal(const DomainMap &a, const DomainMap &b);

// The bytes of DRI_map_pack, and the map of such bytes. ops: of a user's map. Fails as DRI_map_unpack.
std::vector<std::byte> pack(const DomainMap &map);
DomainMap unpack(std::span<const std::byte> bytes, const DRI_Map_ops *ops);

} // namespace dri::domain
