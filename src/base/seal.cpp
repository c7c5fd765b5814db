// Seals packed objects, and reads bytes that may be damaged.
#include "base/seal.hpp"

#include "base/error.hpp"

#include <algorithm>

namespace dri::inline base {

namespace {

// Read with the other byte order, it is another number.
constexpr uint32_t order_mark = 0x01020304;

} // namespace

Bytes seal(const Seal &of, std::span<const std::byte> body) {
    Writer out;
    for (const char c : of.mark)
        out.put(c);
    out.put(order_mark).put(of.version);
    put(out, digest(body));
    Bytes bytes = out.take();
    bytes.insert(bytes.end(), body.begin(), body.end());
    return bytes;
}

std::span<const std::byte> unseal(const Seal &of, std::span<const std::byte> bytes) {
    const size_t head = of.mark.size() + sizeof order_mark + sizeof of.version + sizeof(Digest);
    Reader in(bytes);
    const auto is_next = [&](char c) { return in.get<char>() == c; };
    if (bytes.size() < head || !std::all_of(of.mark.begin(), of.mark.end(), is_next))
        fail(DRI_ERR_ARG, "the {} bytes are no packed {}", bytes.size(), of.what);
    if (in.get<uint32_t>() != order_mark)
        fail(DRI_ERR_UNSUPPORTED, "the {} was packed with another byte order", of.what);
    if (const auto other = in.get<uint32_t>(); other != of.version)
        fail(DRI_ERR_UNSUPPORTED, "the {} was packed in version {}, but this library reads version {}", of.what,
             other, of.version);
    const Digest id = get_digest(in);
    const auto body = bytes.subspan(head);
    if (digest(body) != id)
        fail(DRI_ERR_ARG, "the {} bytes of a packed {} are damaged", bytes.size(), of.what);
    return body;
}

} // namespace dri::inline base
