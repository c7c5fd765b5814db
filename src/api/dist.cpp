// The calls of dist.h: distributions and questions about them.
#include "api/arrays.hpp"
#include "api/rules.hpp"
#include "api/state.hpp"
#include "model/axis_view.hpp"
#include "model/distribution.hpp"
#include "model/gdo.hpp"
#include "model/packed.hpp"
#include "model/part_axis.hpp"
#include "model/request.hpp"

#include <numeric>

namespace dri::api {

namespace {

size_t checked_dim(const model::Distribution &dist, int dim) {
    if (dim < 0 || static_cast<size_t>(dim) >= dist.ndims())
        fail(DRI_ERR_ARG, "dim is {}, but the distribution has {} dimensions, counted from 0", dim, dist.ndims());
    return static_cast<size_t>(dim);
}

// A distribution and the position of a process in its group. Fails if the process is not in the group.
struct Held {
    // Shared, because another thread may destroy the handle during the call.
    std::shared_ptr<const model::Distribution> dist;
    int position = 0;

    Held(DRI_Dist handle, int rank) {
        session();
        dist = get(handle);
        const auto at = dist->group().position(rank);
        if (!at)
            fail(DRI_ERR_ARG, "process {} is not in the group {}", rank, model::to_text(dist->group()));
        position = *at;
    }

    // What the process holds along a dimension. The view is valid as long as this object exists.
    model::AxisView axis(size_t dim) const { return dist->axis_view(position, dim); }
    model::AxisView checked_axis(int dim) const { return axis(checked_dim(*dist, dim)); }
};

// An index of the user. The model relies on indices that lie inside the GDO.
std::span<const int64_t> checked_index(const model::Distribution &dist, const int64_t index[]) {
    const auto array = checked_array(index, dist.ndims(), "index");
    for (size_t d = 0; d < array.size(); ++d)
        if (array[d] < 0 || array[d] >= dist.gdo().sizes[d])
            fail(DRI_ERR_ARG, "index {} of dimension {} is not in [0, {})", array[d], d, dist.gdo().sizes[d]);
    return array;
}

// Only parts of a grid have coordinates: exact pieces may lie anywhere.
const model::Distribution &require_grid(const model::Distribution &dist) {
    if (!dist.is_grid())
        fail(DRI_ERR_UNSUPPORTED, "the distribution {} consists of exact pieces, which form no grid",
             model::to_text(dist));
    return dist;
}

[[noreturn]] void fail_ownerless(std::span<const int64_t> index) {
    fail(DRI_ERR_ARG, "no process owns the element ({})", fmt::join(index, ","));
}

} // namespace

} // namespace dri::api

extern "C" {

int DRI_group_create(int nprocs, const int procs[], DRI_Group *group) {
    return dri::api::guard("DRI_group_create", [&] {
        DRI_Group &out = dri::api::null_handle(group, "group");
        const auto session = dri::api::session();
        if (nprocs < 1)
            dri::fail(DRI_ERR_ARG, "nprocs is {}, but must be at least 1", nprocs);
        const auto ranks = dri::api::checked_array(procs, static_cast<size_t>(nprocs), "procs");
        out = dri::api::make_handle<DRI_Group>(dri::model::make_group(ranks, session->size()));
    });
}

int DRI_group_create_world(DRI_Group *group) {
    return dri::api::guard("DRI_group_create_world", [&] {
        DRI_Group &out = dri::api::null_handle(group, "group");
        std::vector<int> ranks(static_cast<size_t>(dri::api::session()->size()));
        std::iota(ranks.begin(), ranks.end(), 0);
        out = dri::api::make_handle<DRI_Group>(dri::model::Group(std::move(ranks)));
    });
}

int DRI_group_get_size(DRI_Group group, int *nprocs, int *position) {
    return dri::api::guard("DRI_group_get_size", [&] {
        const auto session = dri::api::session();
        const auto object = dri::api::get(group);
        if (nprocs)
            *nprocs = object->size();
        if (position)
            *position = object->position(session->rank()).value_or(-1);
    });
}

int DRI_group_get_ranks(DRI_Group group, int ranks[]) {
    return dri::api::guard("DRI_group_get_ranks", [&] {
        dri::api::session();
        const auto object = dri::api::get(group);
        const auto out = dri::api::checked_array(ranks, object->ranks().size(), "ranks");
        std::copy(object->ranks().begin(), object->ranks().end(), out.begin());
    });
}

int DRI_group_destroy(DRI_Group *group) {
    return dri::api::guard("DRI_group_destroy", [&] { dri::api::destroy_handle(group, "group"); });
}

int DRI_dist_create(DRI_Gdo gdo, DRI_Part part, DRI_Group group, DRI_Dist *dist) {
    return dri::api::guard("DRI_dist_create", [&] {
        // NULL does not fail here but in the agreement below, so that it fails on all members and not on one
        // alone.
        if (dist)
            *dist = {};
        const auto session = dri::api::session();
        // A wrong group handle fails on this process alone, because a process finds the others only through its
        // group. All other failures are agreed on by all members.
        const auto members = dri::api::get(group);
        const auto agreed = session->agree_on_distribution(*members, [&] {
            dri::api::require_pointer(dist, "dist");
            return dri::model::Request{*dri::api::get(gdo), *dri::api::get(part), *members};
        });
        *dist = dri::api::make_handle<DRI_Dist>(agreed);
    });
}

int DRI_dist_get_gdo(DRI_Dist dist, DRI_Gdo *gdo) {
    return dri::api::guard("DRI_dist_get_gdo", [&] {
        DRI_Gdo &out = dri::api::null_handle(gdo, "gdo");
        dri::api::session();
        out = dri::api::make_handle<DRI_Gdo>(dri::api::get(dist)->gdo());
    });
}

int DRI_dist_get_group(DRI_Dist dist, DRI_Group *group) {
    return dri::api::guard("DRI_dist_get_group", [&] {
        DRI_Group &out = dri::api::null_handle(group, "group");
        dri::api::session();
        out = dri::api::make_handle<DRI_Group>(dri::api::get(dist)->group());
    });
}

int DRI_dist_get_rule(DRI_Dist dist, int dim, DRI_Part_dim *rule) {
    return dri::api::guard("DRI_dist_get_rule", [&] {
        const auto session = dri::api::session();
        const auto object = dri::api::get(dist);
        const size_t d = dri::api::checked_dim(*object, dim);
        dri::api::require_pointer(rule, "rule");
        *rule = dri::api::public_rule(*object, d, session->rank());
    });
}

int DRI_dist_get_part(DRI_Dist dist, int rank, DRI_Part_tuple tuples[]) {
    return dri::api::guard("DRI_dist_get_part", [&] {
        const dri::api::Held held(dist, rank);
        const auto out = dri::api::checked_array(tuples, held.dist->ndims(), "tuples");
        for (size_t d = 0; d < out.size(); ++d) {
            const dri::model::AxisBlock b = held.axis(d).bounds();
            out[d] = {b.left(), b.global, b.global + b.size, b.right()};
        }
    });
}

int DRI_dist_get_extents(DRI_Dist dist, int rank, int64_t extents[]) {
    return dri::api::guard("DRI_dist_get_extents", [&] {
        const dri::api::Held held(dist, rank);
        dri::api::copy_out(held.dist->extents(held.position), extents, "extents");
    });
}

int DRI_dist_get_count(DRI_Dist dist, int rank, int64_t *owned, int64_t *held_count) {
    return dri::api::guard("DRI_dist_get_count", [&] {
        const dri::api::Held held(dist, rank);
        dri::Dims own;
        for (size_t d = 0; d < held.dist->ndims(); ++d)
            own.push_back(held.axis(d).owned());
        // Each count may be left out: NULL is allowed for both.
        if (owned)
            *owned = dri::model::count_elements(own);
        if (held_count)
            *held_count = dri::model::count_elements(held.dist->extents(held.position));
    });
}

int DRI_dist_num_blocks(DRI_Dist dist, int rank, int dim, int64_t *n) {
    return dri::api::guard("DRI_dist_num_blocks", [&] {
        const dri::api::Held held(dist, rank);
        const dri::model::AxisView axis = held.checked_axis(dim);
        dri::api::require_pointer(n, "n");
        *n = axis.num_blocks();
    });
}

int DRI_dist_get_block(DRI_Dist dist, int rank, int dim, int64_t i, DRI_Block *block) {
    return dri::api::guard("DRI_dist_get_block", [&] {
        const dri::api::Held held(dist, rank);
        const dri::model::AxisView axis = held.checked_axis(dim);
        dri::api::require_pointer(block, "block");
        if (i < 0 || i >= axis.num_blocks())
            dri::fail(DRI_ERR_ARG, "i is {}, but process {} has {} blocks along dimension {}", i, rank,
                      axis.num_blocks(), dim);
        const dri::model::AxisBlock b = axis.block(i);
        *block = {};
        block->global = b.global;
        block->size = b.size;
        block->local = b.local;
        block->left_real = b.left_real;
        block->right_real = b.right_real;
        block->left_pad = b.left_pad;
        block->right_pad = b.right_pad;
    });
}

int DRI_dist_get_grid(DRI_Dist dist, int grid[]) {
    return dri::api::guard("DRI_dist_get_grid", [&] {
        dri::api::session();
        dri::api::copy_out(dri::api::require_grid(*dri::api::get(dist)).grid(), grid, "grid");
    });
}

int DRI_dist_get_coords(DRI_Dist dist, int rank, int coords[]) {
    return dri::api::guard("DRI_dist_get_coords", [&] {
        const dri::api::Held held(dist, rank);
        const dri::model::Distribution &grid = dri::api::require_grid(*held.dist);
        dri::api::copy_out(grid.coords_of_part(grid.part_of_position(held.position)), coords, "coords");
    });
}

int DRI_dist_owner(DRI_Dist dist, const int64_t index[], int *rank) {
    return dri::api::guard("DRI_dist_owner", [&] {
        dri::api::require_session();
        const auto object = dri::api::get(dist);
        const auto element = dri::api::checked_index(*object, index);
        dri::api::require_pointer(rank, "rank");
        const auto part = object->owner_part(element);
        if (!part)
            dri::api::fail_ownerless(element);
        // Of several replicas, the first one in the group's order is returned.
        *rank = object->group().rank(object->position_of_part(*part, 0));
    });
}

int DRI_dist_replicas(DRI_Dist dist, const int64_t index[], int *n, int ranks[]) {
    return dri::api::guard("DRI_dist_replicas", [&] {
        dri::api::session();
        const auto object = dri::api::get(dist);
        // A caller may ask for n alone, with ranks NULL, and then pass an array of n ranks.
        const auto owners = object->owners(dri::api::checked_index(*object, index));
        dri::api::require_pointer(n, "n");
        *n = static_cast<int>(owners.size());
        for (size_t k = 0; ranks && k < owners.size(); ++k)
            ranks[k] = object->group().rank(owners[k]);
    });
}

int DRI_dist_local_index(DRI_Dist dist, int rank, const int64_t index[], int64_t local[]) {
    return dri::api::guard("DRI_dist_local_index", [&] {
        const dri::api::Held held(dist, rank);
        const auto global = dri::api::checked_index(*held.dist, index);
        // Collected first: after an error the user's array is unchanged. The same holds for DRI_dist_global_index.
        dri::Dims locals;
        for (size_t d = 0; d < global.size(); ++d) {
            const auto at = held.axis(d).local_of(global[d]);
            if (!at)
                dri::fail(DRI_ERR_ARG, "process {} does not hold index {} of dimension {}", rank, global[d], d);
            locals.push_back(*at);
        }
        dri::api::copy_out(locals, local, "local");
    });
}

int DRI_dist_global_index(DRI_Dist dist, int rank, const int64_t local[], int64_t index[]) {
    return dri::api::guard("DRI_dist_global_index", [&] {
        const dri::api::Held held(dist, rank);
        const auto at = dri::api::checked_array(local, held.dist->ndims(), "local");
        dri::Dims global;
        for (size_t d = 0; d < at.size(); ++d) {
            const dri::model::AxisView axis = held.axis(d);
            if (at[d] < 0 || at[d] >= axis.extent())
                dri::fail(DRI_ERR_ARG, "local index {} of dimension {} is not in [0, {}) on process {}", at[d], d,
                          axis.extent(), rank);
            // Overlap that wraps or repeats an edge element has the index of that element. A pad of zeros has
            // none.
            const auto found = axis.index_at(at[d]);
            if (!found)
                dri::fail(DRI_ERR_ARG, "local index {} of dimension {} is a pad of zeros on process {}", at[d], d,
                          rank);
            global.push_back(*found);
        }
        dri::api::copy_out(global, index, "index");
    });
}

int DRI_dist_equal(DRI_Dist a, DRI_Dist b, int *flag) {
    return dri::api::guard("DRI_dist_equal", [&] {
        dri::api::session();
        const auto first = dri::api::get(a), second = dri::api::get(b);
        dri::api::require_pointer(flag, "flag");
        // Compares parts and not rules: two different rules may give the same parts.
        *flag = dri::model::same_parts(*first, *second) ? 1 : 0;
    });
}

int DRI_dist_describe(DRI_Dist dist, char *text, size_t n) {
    return dri::api::guard("DRI_dist_describe", [&] {
        dri::api::session();
        dri::api::copy_text(dri::model::to_text(*dri::api::get(dist)), text, n);
    });
}

int DRI_dist_pack(DRI_Dist dist, void *bytes, size_t n, size_t *needed) {
    return dri::api::guard("DRI_dist_pack", [&] {
        dri::api::session();
        dri::give_packed(dri::model::pack(*dri::api::get(dist)), bytes, n, needed);
    });
}

int DRI_dist_unpack(const void *bytes, size_t n, DRI_Dist *dist) {
    return dri::api::guard("DRI_dist_unpack", [&] {
        DRI_Dist &out = dri::api::null_handle(dist, "dist");
        const auto session = dri::api::session();
        const auto packed = dri::api::checked_array(static_cast<const std::byte *>(bytes), n, "bytes");
        out = dri::api::make_handle<DRI_Dist>(dri::model::unpack(packed, session->size()));
    });
}

int DRI_dist_destroy(DRI_Dist *dist) {
    return dri::api::guard("DRI_dist_destroy", [&] { dri::api::destroy_handle(dist, "dist"); });
}
}
