// Packs distributions, and reads bytes that may be damaged.
#include "model/packed.hpp"

#include <algorithm>

namespace dri::model {

namespace {

constexpr std::string_view mark = "DRI-dist";
// Changes with the wire form of a distribution.
constexpr uint32_t version = 1;
// Read with the other byte order, it is another number.
constexpr uint32_t order_mark = 0x01020304;

} // namespace

Bytes pack(const Distribution &dist) {
    Writer out;
    for (const char c : mark)
        out.put(c);
    out.put(order_mark).put(version);
    put(out, dist.id());
    Bytes bytes = out.take();
    bytes.insert(bytes.end(), dist.wire().begin(), dist.wire().end());
    return bytes;
}

Distribution unpack(std::span<const std::byte> bytes, int world) {
    constexpr size_t head = mark.size() + sizeof order_mark + sizeof version + sizeof(Digest);
    Reader in(bytes);
    if (bytes.size() < head || !std::all_of(mark.begin(), mark.end(), [&](char c) { return in.get<char>() == c; }))
        fail(DRI_ERR_ARG, "the {} bytes are no packed distribution", bytes.size());
    if (in.get<uint32_t>() != order_mark)
        fail(DRI_ERR_UNSUPPORTED, "the distribution was packed with another byte order");
    if (const auto other = in.get<uint32_t>(); other != version)
        fail(DRI_ERR_UNSUPPORTED, "the distribution was packed in version {}, but this library reads version {}",
             other, version);
    const Digest id = get_digest(in);
    const auto wire = bytes.subspan(head);
    if (digest(wire) != id)
        fail(DRI_ERR_ARG, "the {} bytes of a packed distribution are damaged", bytes.size());
    std::optional<Distribution> dist;
    try {
        dist.emplace(Distribution::from_wire(wire, world));
        static_cast<void>(make_group(dist->group().ranks(), world)); // fails for a process outside the world
    } catch (const Error &error) {
        fail(DRI_ERR_ARG, "the {} bytes are no packed distribution for a world of {} processes: {}", bytes.size(),
             world, error.what());
    }
    return std::move(*dist);
}

} // namespace dri::model
