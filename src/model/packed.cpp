// Packs distributions, and reads bytes that may be damaged.
#include "model/packed.hpp"

#include "base/seal.hpp"

#include <optional>

namespace dri::model {

namespace {

constexpr Seal dist_seal{.mark = "DRI-dist", .version = 1, .what = "distribution"};

} // namespace

Bytes pack(const Distribution &dist) { return seal(dist_seal, dist.wire()); }

Distribution unpack(std::span<const std::byte> bytes, int world) {
    const auto wire = unseal(dist_seal, bytes);
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
