// Computes digests of bytes, and writes and reads them.
#include "base/wire.hpp"

namespace dri::inline base {

namespace {

// Finaliser of SplitMix64 (Steele, Lea, Flood 2014). Every input bit affects every output bit.
uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

} // namespace

// The length is part of the start value, because the last word is filled up with zeros. The digest is the same on
// all processes of a job, which have one byte order.
Digest digest(std::span<const std::byte> bytes) {
    uint64_t a = 0x9e3779b97f4a7c15ull, b = 0xc2b2ae3d27d4eb4full + bytes.size();
    for (size_t at = 0; at < bytes.size(); at += 8) {
        uint64_t word = 0;
        std::memcpy(&word, bytes.data() + at, std::min<size_t>(8, bytes.size() - at));
        a = mix(a ^ word);
        b = mix(b + a + word);
    }
    return {mix(a + b), mix(b ^ (a >> 1))};
}

void put(Writer &out, const Digest &id) { out.put(id.high).put(id.low); }

Digest get_digest(Reader &in) {
    Digest id;
    id.high = in.get<uint64_t>();
    id.low = in.get<uint64_t>();
    return id;
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

} // namespace dri::inline base
