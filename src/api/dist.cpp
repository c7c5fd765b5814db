#include "api/arrays.hpp"
#include "api/state.hpp"

namespace dri {

namespace {

// A distribution as one process of its group sees it.
struct Held {
    std::shared_ptr<const Distribution> dist;
    int position = 0;

    Held(DRI_Dist handle, int rank) {
        session();
        dist = dist_handles.get(handle.id);
        const auto at = dist->group().position(rank);
        if (!at)
            fail(DRI_ERR_ARG, "process {} is not in the group {}", rank, to_text(dist->group()));
        position = *at;
    }

    std::vector<IndexSet> sets() const {
        std::vector<IndexSet> out;
        for (PartAxis &axis : dist->axes(position))
            out.push_back(std::move(axis.owned));
        return out;
    }

    IndexSet set(int dim) const {
        if (dim < 0 || static_cast<size_t>(dim) >= dist->ndims())
            fail(DRI_ERR_ARG, "dim is {}, but the distribution has {} dimensions", dim, dist->ndims());
        const auto d = static_cast<size_t>(dim);
        return dist->cut(d).part(dist->coords_of_part(dist->part_of_position(position))[d]);
    }
};

std::span<const int64_t> checked_index(const Distribution &dist, const int64_t index[]) {
    const auto array = checked_array(index, dist.ndims(), "index");
    for (size_t d = 0; d < array.size(); ++d)
        if (array[d] < 0 || array[d] >= dist.gdo().sizes[d])
            fail(DRI_ERR_ARG, "index {} of dimension {} is not in [0, {})", array[d], d, dist.gdo().sizes[d]);
    return array;
}

} // namespace

} // namespace dri

extern "C" {

int DRI_dist_create(DRI_Gdo gdo, DRI_Part part, DRI_Group group, DRI_Dist *dist) {
    return dri::guard("DRI_dist_create", [&] {
        if (dist)
            *dist = {};
        const auto session = dri::session();
        // Without its group a process cannot reach the others. All other faults are shared with them.
        const auto members = dri::group_handles.get(group.id);
        const auto agreed = session->agree_on_distribution(*members, [&] {
            dri::require_pointer(dist, "dist");
            return dri::Distribution(*dri::gdo_handles.get(gdo.id), *dri::part_handles.get(part.id), *members);
        });
        dist->id = dri::dist_handles.insert(agreed);
    });
}

int DRI_dist_get_part(DRI_Dist dist, int rank, DRI_Part_tuple tuples[]) {
    return dri::guard("DRI_dist_get_part", [&] {
        const dri::Held held(dist, rank);
        const auto sets = held.sets();
        const auto out = dri::checked_array(tuples, sets.size(), "tuples");
        for (size_t d = 0; d < sets.size(); ++d)
            out[d] = {0, sets[d].first(), sets[d].last(), 0};
    });
}

int DRI_dist_get_extents(DRI_Dist dist, int rank, int64_t extents[]) {
    return dri::guard("DRI_dist_get_extents", [&] {
        const dri::Held held(dist, rank);
        dri::copy_out(held.dist->extents(held.position), extents, "extents");
    });
}

int DRI_dist_get_count(DRI_Dist dist, int rank, int64_t *owned, int64_t *held_count) {
    return dri::guard("DRI_dist_get_count", [&] {
        const dri::Held held(dist, rank);
        dri::Dims own;
        for (const dri::IndexSet &set : held.sets())
            own.push_back(set.owned());
        if (owned)
            *owned = dri::count_elements(own);
        if (held_count)
            *held_count = dri::count_elements(held.dist->extents(held.position));
    });
}

int DRI_dist_num_blocks(DRI_Dist dist, int rank, int dim, int64_t *n) {
    return dri::guard("DRI_dist_num_blocks", [&] {
        const dri::Held held(dist, rank);
        const dri::IndexSet set = held.set(dim);
        dri::require_pointer(n, "n");
        *n = set.num_runs();
    });
}

int DRI_dist_get_block(DRI_Dist dist, int rank, int dim, int64_t i, DRI_Block *block) {
    return dri::guard("DRI_dist_get_block", [&] {
        const dri::Held held(dist, rank);
        const dri::IndexSet set = held.set(dim);
        dri::require_pointer(block, "block");
        if (i < 0 || i >= set.num_runs())
            dri::fail(DRI_ERR_ARG, "i is {}, but process {} has {} blocks along dimension {}", i, rank,
                      set.num_runs(), dim);
        const dri::Run run = set.run(i);
        *block = {};
        block->global = run.global;
        block->size = run.size;
        block->local = run.local;
    });
}

int DRI_dist_get_grid(DRI_Dist dist, int grid[]) {
    return dri::guard("DRI_dist_get_grid", [&] {
        dri::session();
        dri::copy_out(dri::dist_handles.get(dist.id)->grid(), grid, "grid");
    });
}

int DRI_dist_get_coords(DRI_Dist dist, int rank, int coords[]) {
    return dri::guard("DRI_dist_get_coords", [&] {
        const dri::Held held(dist, rank);
        dri::copy_out(held.dist->coords_of_part(held.dist->part_of_position(held.position)), coords, "coords");
    });
}

int DRI_dist_owner(DRI_Dist dist, const int64_t index[], int *rank) {
    return dri::guard("DRI_dist_owner", [&] {
        dri::session();
        const auto object = dri::dist_handles.get(dist.id);
        const int64_t part = object->owner_part(dri::checked_index(*object, index));
        dri::require_pointer(rank, "rank");
        *rank = object->group().rank(object->position_of_part(part, 0));
    });
}

int DRI_dist_replicas(DRI_Dist dist, const int64_t index[], int *n, int ranks[]) {
    return dri::guard("DRI_dist_replicas", [&] {
        dri::session();
        const auto object = dri::dist_handles.get(dist.id);
        const int64_t part = object->owner_part(dri::checked_index(*object, index));
        dri::require_pointer(n, "n");
        *n = static_cast<int>(object->replicas());
        if (!ranks)
            return;
        for (int k = 0; k < *n; ++k)
            ranks[k] = object->group().rank(object->position_of_part(part, k));
    });
}

int DRI_dist_local_index(DRI_Dist dist, int rank, const int64_t index[], int64_t local[]) {
    return dri::guard("DRI_dist_local_index", [&] {
        const dri::Held held(dist, rank);
        const auto global = dri::checked_index(*held.dist, index);
        const auto sets = held.sets();
        dri::Dims place;
        for (size_t d = 0; d < sets.size(); ++d) {
            const auto at = sets[d].local_of(global[d]);
            if (!at)
                dri::fail(DRI_ERR_ARG, "process {} does not own index {} of dimension {}", rank, global[d], d);
            place.push_back(*at);
        }
        dri::copy_out(place, local, "local");
    });
}

int DRI_dist_global_index(DRI_Dist dist, int rank, const int64_t local[], int64_t index[]) {
    return dri::guard("DRI_dist_global_index", [&] {
        const dri::Held held(dist, rank);
        const auto sets = held.sets();
        const auto at = dri::checked_array(local, sets.size(), "local");
        dri::Dims global;
        for (size_t d = 0; d < sets.size(); ++d) {
            const auto found = sets[d].global_of(at[d]);
            if (!found)
                dri::fail(DRI_ERR_ARG, "local index {} of dimension {} is not in [0, {}) on process {}", at[d], d,
                          sets[d].extent(), rank);
            global.push_back(*found);
        }
        dri::copy_out(global, index, "index");
    });
}

int DRI_dist_equal(DRI_Dist a, DRI_Dist b, int *flag) {
    return dri::guard("DRI_dist_equal", [&] {
        dri::session();
        const auto first = dri::dist_handles.get(a.id), second = dri::dist_handles.get(b.id);
        dri::require_pointer(flag, "flag");
        *flag = same_places(*first, *second) ? 1 : 0;
    });
}

int DRI_dist_describe(DRI_Dist dist, char *text, size_t n) {
    return dri::guard("DRI_dist_describe", [&] {
        dri::session();
        dri::copy_text(to_text(*dri::dist_handles.get(dist.id)), text, n);
    });
}

int DRI_dist_destroy(DRI_Dist *dist) {
    return dri::guard("DRI_dist_destroy", [&] {
        dri::session();
        dri::require_pointer(dist, "dist");
        dri::dist_handles.erase(dist->id);
        *dist = {};
    });
}
}
