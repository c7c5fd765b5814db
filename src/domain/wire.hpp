// Maps and domains as bytes.
#pragma once

#include "base/wire.hpp"
#include "domain/domain_map.hpp"

namespace dri::domain {

// Ranges for comparisons: equal ranges give equal bytes, however they are written.
void put_ranges(Writer &out, std::span<const DRI_Range> ranges);
// What decides the owners of a map, for comparisons of processes that each made one.
void put_owners(Writer &out, const DomainMap &map);

// A map inside the bytes of something else.
void put_map(Writer &out, const DomainMap &map);
DomainMap get_map(Reader &in, const DRI_Map_ops *ops);

} // namespace dri::domain
