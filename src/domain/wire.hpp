// Maps and domains as bytes.
#pragma once

#include "base/wire.hpp"
#include "domain/domain_map.hpp"

#include <cstring>

namespace dri::domain {

// A map inside the bytes of something else.
void put_map(Writer &out, const DomainMap &map);
DomainMap get_map(Reader &in, const DRI_Map_ops *ops);

// Gives the user what was packed: its size, and the bytes if there is capacity. Fails with DRI_ERR_ARG as
// DRI_map_pack.
void give_packed(const Bytes &packed, void *bytes, size_t n, size_t *needed);

} // namespace dri::domain
