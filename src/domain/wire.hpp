// Packed objects: a mark, the byte order, a version and a digest before the bytes of an object.
#pragma once

#include "base/wire.hpp"
#include "domain/domain_map.hpp"

#include <cstring>

namespace dri::domain {

// mark: 8 characters that say what it is.
Bytes seal(std::string_view mark, const Bytes &body);
// The body. Fails with DRI_ERR_ARG for bytes of something else and damaged ones, and with DRI_ERR_UNSUPPORTED for
// another byte order or version. what: the object, in messages.
std::span<const std::byte> unseal(std::string_view mark, const char *what, std::span<const std::byte> bytes);

// A map inside the bytes of something else.
void put_map(Writer &out, const DomainMap &map);
DomainMap get_map(Reader &in, const DRI_Map_ops *ops);

// Gives the user what was packed: its size, and the bytes if there is capacity. Fails with DRI_ERR_ARG as
// DRI_map_pack.
void give_packed(const Bytes &packed, void *bytes, size_t n, size_t *needed);

} // namespace dri::domain
