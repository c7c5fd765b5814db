// The calls of domain.h that leave the process: packing, and the dense distribution.
#include "base/seal.hpp"
#include "domain/dense.hpp"
#include "domain/elements.hpp"
#include "domain/objects.hpp"
#include "domain/same_boxes.hpp"
#include "domain/wire.hpp"
#include "outer/calls.hpp"

#include <dri/env.h>

namespace dri::domain {

namespace {

constexpr Seal domain_seal{.mark = "DRI-dom ", .version = 1, .what = "domain"};

Bytes pack_space(const Space &space) {
    Writer out;
    put_map(out, space.map());
    for (const DRI_Range &r : space.ranges())
        out.put(r.first).put(r.stride).put(r.size);
    return seal(domain_seal, out.take());
}

std::shared_ptr<const Space> unpack_space(std::span<const std::byte> bytes, const DRI_Map_ops *ops) {
    const auto body = unseal(domain_seal, bytes);
    Reader in(body);
    const auto map = std::make_shared<const DomainMap>(get_map(in, ops));
    Ranges ranges;
    for (int d = 0; d < map->ndims(); ++d) {
        const auto first = in.get<int64_t>(), stride = in.get<int64_t>(), size = in.get<int64_t>();
        ranges.push_back({first, stride, size});
    }
    return std::make_shared<const Space>(map, ranges);
}

int own_position(const DomainMap &map) {
    int rank = 0;
    outer::require(DRI_world_rank(&rank));
    return map.checked_position(rank);
}

} // namespace

} // namespace dri::domain

extern "C" {

int DRI_domain_pack(DRI_Domain domain, void *bytes, size_t n, size_t *needed) {
    return dri::outer::run("DRI_domain_pack", [&] {
        dri::give_packed(dri::domain::pack_space(*dri::domain::get_space(domain)), bytes, n, needed);
    });
}

int DRI_domain_unpack(const void *bytes, size_t n, const DRI_Map_ops *ops, DRI_Domain *domain) {
    return dri::outer::run("DRI_domain_unpack", [&] {
        DRI_Domain &made = dri::outer::null_handle(domain, "domain");
        dri::outer::require_pointer(bytes, "bytes");
        made = dri::domain::DomainObjects::insert(std::make_shared<dri::domain::DomainObject>(
            dri::domain::unpack_space(std::span(static_cast<const std::byte *>(bytes), n), ops)));
    });
}

int DRI_domain_get_dist(DRI_Domain domain, DRI_Type type, DRI_Dist *dist) {
    return dri::outer::run("DRI_domain_get_dist", [&] {
        DRI_Dist &made = dri::outer::null_handle(dist, "dist");
        const auto space = dri::domain::get_space(domain);
        const int position = dri::domain::own_position(space->map());
        dri::Writer key;
        dri::domain::put_space(key, *space);
        const dri::domain::RankScope all(space->map().ranks());
        agree_on_boxes(all.scope(), *space, dri::digest(key.take()), "a domain", [] {});
        made = make_dense_dist(*space, type, position, whole_choice(*space, true)).release();
    });
}
}
