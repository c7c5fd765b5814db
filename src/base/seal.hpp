// Packed objects: a mark, the byte order, a version and a digest before the bytes of an object.
#pragma once

#include "base/wire.hpp"

#include <span>
#include <string_view>

namespace dri::inline base {

// What is packed.
struct Seal {
    std::string_view mark; // 8 characters that say what it is
    uint32_t version;      // changes with the form of the bytes
    const char *what;      // the object, in messages
};

Bytes seal(const Seal &of, std::span<const std::byte> body);
// The body. Fails with DRI_ERR_ARG for bytes of something else and damaged ones, and with DRI_ERR_UNSUPPORTED for
// another byte order or version.
std::span<const std::byte> unseal(const Seal &of, std::span<const std::byte> bytes);

} // namespace dri::inline base
