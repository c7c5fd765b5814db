// Seals packed objects, and reads bytes that may be damaged.
#include "domain/wire.hpp"

#include <algorithm>

namespace dri::domain {

namespace {

// Changes with the wire form of maps and domains.
constexpr uint32_t wire_version = 1;
// Read with the other byte order, it is another number.
constexpr uint32_t order_mark = 0x01020304;

} // namespace

Bytes seal(std::string_view mark, const Bytes &body) {
    Writer out;
    for (const char c : mark)
        out.put(c);
    out.put(order_mark).put(wire_version);
    put(out, digest(body));
    Bytes bytes = out.take();
    bytes.insert(bytes.end(), body.begin(), body.end());
    return bytes;
}

std::span<const std::byte> unseal(std::string_view mark, const char *what, std::span<const std::byte> bytes) {
    const size_t head = mark.size() + sizeof order_mark + sizeof wire_version + sizeof(Digest);
    Reader in(bytes);
    if (bytes.size() < head || !std::all_of(mark.begin(), mark.end(), [&](char c) { return in.get<char>() == c; }))
        fail(DRI_ERR_ARG, "the {} bytes are no packed {}", bytes.size(), what);
    if (in.get<uint32_t>() != order_mark)
        fail(DRI_ERR_UNSUPPORTED, "the {} was packed with another byte order", what);
    if (const auto other = in.get<uint32_t>(); other != wire_version)
        fail(DRI_ERR_UNSUPPORTED, "the {} was packed in version {}, but this library reads version {}", what,
             other, wire_version);
    const Digest id = get_digest(in);
    const auto body = bytes.subspan(head);
    if (digest(body) != id)
        fail(DRI_ERR_ARG, "the {} bytes of a packed {} are damaged", bytes.size(), what);
    return body;
}

void give_packed(const Bytes &packed, void *bytes, size_t n, size_t *needed) {
    if (!bytes && n != 0)
        fail(DRI_ERR_ARG, "bytes is NULL, but n is {}", n);
    if (!bytes && !needed)
        fail(DRI_ERR_ARG, "bytes and needed are NULL");
    if (needed)
        *needed = packed.size();
    if (bytes && n < packed.size())
        fail(DRI_ERR_ARG, "n is {}, but {} bytes are needed", n, packed.size());
    if (bytes)
        std::memcpy(bytes, packed.data(), packed.size());
}

} // namespace dri::domain
