// Bytes of maps and ranges for comparisons.
#include "domain/wire.hpp"

namespace dri::domain {

void put_ranges(Writer &out, std::span<const DRI_Range> ranges) {
    for (const DRI_Range &r : ranges)
        out.put(r.size == 0 ? 0 : r.first).put(r.size < 2 ? 1 : r.stride).put(r.size);
}

void put_owners(Writer &out, const DomainMap &map) {
    out.put(static_cast<int64_t>(map.sort().index())).put_all(map.ranks());
    if (const auto *grid = std::get_if<GridMap>(&map.sort())) {
        for (const DimRule &rule : grid->dims)
            out.put_all(normal_rule(rule));
    } else if (const auto *dist_map = std::get_if<DistMap>(&map.sort())) {
        const Bytes packed = packed_dist(*dist_map);
        out.put(std::span(packed));
    } else {
        out.put(map.rule());
    }
}

} // namespace dri::domain
