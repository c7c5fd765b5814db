// Maps as bytes, which any process of any run with the same byte order reads.
#include "base/seal.hpp"
#include "base/wire.hpp"
#include "domain/domain_map.hpp"
#include "domain/wire.hpp"
#include "outer/calls.hpp"

#include <dri/env.h>

namespace dri::domain {

namespace {

constexpr Seal map_seal{.mark = "DRI-map ", .version = 1, .what = "map"};

enum class MapSort : uint8_t { grid, dist, user };

void put_rule(Writer &out, const DimRule &rule) {
    out.put(static_cast<int32_t>(rule.kind)).put(rule.nparts).put(rule.lo).put(rule.hi).put(rule.start);
    out.put(rule.block).put(rule.left).put(rule.right);
    out.put(static_cast<int32_t>(rule.left_edge)).put(static_cast<int32_t>(rule.right_edge));
}

DimRule get_rule(Reader &in) {
    DimRule rule{};
    rule.kind = static_cast<DRI_Part_kind>(in.get<int32_t>());
    rule.nparts = in.get<int>();
    rule.lo = in.get<int64_t>();
    rule.hi = in.get<int64_t>();
    rule.start = in.get<int64_t>();
    rule.block = in.get<int64_t>();
    rule.left = in.get<int64_t>();
    rule.right = in.get<int64_t>();
    rule.left_edge = static_cast<DRI_Edge>(in.get<int32_t>());
    rule.right_edge = static_cast<DRI_Edge>(in.get<int32_t>());
    return rule;
}

void put(Writer &out, const GridMap &map) {
    for (const DimRule &rule : map.dims)
        put_rule(out, rule);
}
void put(Writer &out, const DistMap &map) {
    const Bytes packed = packed_dist(map);
    out.put(std::span(packed));
}
void put(Writer &out, const UserMap &map) {
    const Bytes packed = map.pack();
    out.put(std::string_view(map.name())).put(std::span(packed));
}

void require_in_world(const std::vector<int> &ranks) {
    int world = 0;
    outer::require(DRI_world_size(&world));
    for (const int rank : ranks)
        if (rank < 0 || rank >= world)
            fail(DRI_ERR_ARG, "the map has rank {}, but the world has {} processes", rank, world);
}

UserMap get_user_map(Reader &in, const DRI_Map_ops *ops, int ndims) {
    const std::string name = in.get_string();
    const auto bytes = in.get_bytes();
    if (!ops)
        fail(DRI_ERR_ARG, "ops is NULL, but the map '{}' is a user's", name);
    UserMap map(ops, ndims);
    if (map.name() != name)
        fail(DRI_ERR_ARG, "the map '{}' was packed, but ops are those of '{}'", name, map.name());
    map.unpack(bytes);
    return map;
}

} // namespace

void put_map(Writer &out, const DomainMap &map) {
    out.put(static_cast<int32_t>(map.ndims())).put_all(map.ranks()).put(static_cast<MapSort>(map.sort().index()));
    std::visit([&](const auto &sort) { put(out, sort); }, map.sort());
}

DomainMap get_map(Reader &in, const DRI_Map_ops *ops) {
    const int ndims = in.get<int32_t>();
    auto ranks = in.get_all<std::vector<int>>();
    const auto sort = in.get<MapSort>();
    require_in_world(ranks);
    if (sort == MapSort::user)
        return DomainMap(ndims, std::move(ranks), get_user_map(in, ops, ndims));
    if (ops)
        fail(DRI_ERR_ARG, "ops must be NULL, because the map is not a user's");
    if (sort == MapSort::dist)
        return DomainMap(ndims, std::move(ranks), make_dist_map(in.get_bytes()));
    std::vector<DRI_Map_dim> rules;
    for (int d = 0; d < ndims; ++d)
        rules.push_back(get_rule(in));
    const int processes = static_cast<int>(ranks.size());
    return DomainMap(ndims, std::move(ranks), make_grid_map(rules.data(), ndims, processes));
}

std::vector<std::byte> pack(const DomainMap &map) {
    Writer out;
    put_map(out, map);
    return seal(map_seal, out.take());
}

DomainMap unpack(std::span<const std::byte> bytes, const DRI_Map_ops *ops) {
    const auto body = unseal(map_seal, bytes);
    Reader in(body);
    return get_map(in, ops);
}

} // namespace dri::domain
