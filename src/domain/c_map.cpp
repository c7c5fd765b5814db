// The calls of map.h.
#include "domain/objects.hpp"
#include "domain/wire.hpp"
#include "outer/agree.hpp"
#include "outer/calls.hpp"

#include <algorithm>

namespace dri::domain {

namespace {

void require_dims(int ndims) {
    if (ndims < 1 || ndims > DRI_MAX_DIMS)
        fail(DRI_ERR_ARG, "ndims is {}, but must be 1 to {}", ndims, static_cast<int>(DRI_MAX_DIMS));
}

DRI_Map insert_map(DomainMap map) { return MapObjects::insert(std::make_shared<const DomainMap>(std::move(map))); }

} // namespace

} // namespace dri::domain

extern "C" {

int DRI_map_create(int ndims, const DRI_Map_dim dims[], DRI_Group group, DRI_Map *map) {
    return dri::outer::run("DRI_map_create", [&] {
        DRI_Map &made = dri::outer::null_handle(map, "map");
        dri::domain::require_dims(ndims);
        dri::outer::require_pointer(dims, "dims");
        std::vector<int> ranks = dri::outer::ranks_of(group);
        const int processes = static_cast<int>(ranks.size());
        made = dri::domain::insert_map(
            dri::domain::DomainMap(ndims, std::move(ranks), dri::domain::make_grid_map(dims, ndims, processes)));
    });
}

int DRI_map_create_dist(DRI_Dist dist, DRI_Map *map) {
    return dri::outer::run("DRI_map_create_dist", [&] {
        DRI_Map &made = dri::outer::null_handle(map, "map");
        dri::domain::DistMap sort = dri::domain::make_dist_map(dist);
        const int ndims = static_cast<int>(sort.sizes.size());
        std::vector<int> ranks = sort.ranks;
        made = dri::domain::insert_map(dri::domain::DomainMap(ndims, std::move(ranks), std::move(sort)));
    });
}

int DRI_map_create_user(int ndims, const DRI_Map_ops *ops, void *ctx, DRI_Group group, DRI_Map *map) {
    return dri::outer::run("DRI_map_create_user", [&] {
        DRI_Map &made = dri::outer::null_handle(map, "map");
        dri::domain::require_dims(ndims);
        dri::domain::UserMap sort(ops, ndims);
        std::vector<int> ranks = dri::outer::ranks_of(group);
        sort.keep_context(ctx);
        made = dri::domain::insert_map(dri::domain::DomainMap(ndims, std::move(ranks), std::move(sort)));
    });
}

int DRI_map_owner(DRI_Map map, const int64_t index[], int *rank) {
    return dri::outer::run("DRI_map_owner", [&] {
        const auto found = dri::domain::MapObjects::get(map);
        dri::outer::require_pointer(index, "index");
        dri::outer::require_pointer(rank, "rank");
        *rank = found->owner_rank(index);
    });
}

int DRI_map_get_ndims(DRI_Map map, int *ndims) {
    return dri::outer::run("DRI_map_get_ndims", [&] {
        const auto found = dri::domain::MapObjects::get(map);
        dri::outer::require_pointer(ndims, "ndims");
        *ndims = found->ndims();
    });
}

int DRI_map_get_grid(DRI_Map map, int grid[]) {
    return dri::outer::run("DRI_map_get_grid", [&] {
        const auto found = dri::domain::MapObjects::get(map);
        dri::outer::require_pointer(grid, "grid");
        const auto numbers = found->grid();
        std::copy(numbers.begin(), numbers.end(), grid);
    });
}

int DRI_map_get_group(DRI_Map map, DRI_Group *group) {
    return dri::outer::run("DRI_map_get_group", [&] {
        DRI_Group &made = dri::outer::null_handle(group, "group");
        const auto found = dri::domain::MapObjects::get(map);
        dri::outer::require(DRI_group_create(found->num_positions(), found->ranks().data(), &made));
    });
}

int DRI_map_clone(DRI_Map map, DRI_Map *clone) {
    return dri::outer::run("DRI_map_clone", [&] {
        DRI_Map &made = dri::outer::null_handle(clone, "clone");
        made = dri::domain::MapObjects::insert(dri::domain::MapObjects::get(map));
    });
}

int DRI_map_equal(DRI_Map a, DRI_Map b, int *flag) {
    return dri::outer::run("DRI_map_equal", [&] {
        const auto first = dri::domain::MapObjects::get(a), second = dri::domain::MapObjects::get(b);
        dri::outer::require_pointer(flag, "flag");
        *flag = first == second || are_equal(*first, *second) ? 1 : 0;
    });
}

int DRI_map_describe(DRI_Map map, char *text, size_t n) {
    return dri::outer::run("DRI_map_describe",
                           [&] { dri::outer::give_text(dri::domain::MapObjects::get(map)->describe(), text, n); });
}

int DRI_map_pack(DRI_Map map, void *bytes, size_t n, size_t *needed) {
    return dri::outer::run("DRI_map_pack",
                           [&] { dri::give_packed(pack(*dri::domain::MapObjects::get(map)), bytes, n, needed); });
}

int DRI_map_unpack(const void *bytes, size_t n, const DRI_Map_ops *ops, DRI_Map *map) {
    return dri::outer::run("DRI_map_unpack", [&] {
        DRI_Map &made = dri::outer::null_handle(map, "map");
        dri::outer::require_pointer(bytes, "bytes");
        made =
            dri::domain::insert_map(dri::domain::unpack(std::span(static_cast<const std::byte *>(bytes), n), ops));
    });
}

int DRI_map_destroy(DRI_Map *map) {
    return dri::outer::run("DRI_map_destroy", [&] { dri::domain::MapObjects::destroy(map, "map"); });
}
}
