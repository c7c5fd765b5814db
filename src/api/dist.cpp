// The calls of dist.h: distributions and questions about them.
#include "api/arrays.hpp"
#include "api/state.hpp"

namespace dri {

namespace {

// A distribution and the position of a process in its group. Fails if the process is not in the group.
struct Held {
    // Shared, because another thread may destroy the handle during the call.
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

    // What the process holds along a dimension. The view is valid as long as this object exists.
    AxisView axis(size_t dim) const { return dist->axis_view(position, dim); }
    AxisView checked_axis(int dim) const {
        if (dim < 0 || static_cast<size_t>(dim) >= dist->ndims())
            fail(DRI_ERR_ARG, "dim is {}, but the distribution has {} dimensions, counted from 0", dim,
                 dist->ndims());
        return axis(static_cast<size_t>(dim));
    }
};

// An index of the user. The model relies on indices that lie inside the GDO.
std::span<const int64_t> checked_index(const Distribution &dist, const int64_t index[]) {
    const auto array = checked_array(index, dist.ndims(), "index");
    for (size_t d = 0; d < array.size(); ++d)
        if (array[d] < 0 || array[d] >= dist.gdo().sizes[d])
            fail(DRI_ERR_ARG, "index {} of dimension {} is not in [0, {})", array[d], d, dist.gdo().sizes[d]);
    return array;
}

// Only parts of a grid have coordinates: exact pieces may lie anywhere.
const Distribution &require_grid(const Distribution &dist) {
    if (!dist.is_grid())
        fail(DRI_ERR_UNSUPPORTED, "the distribution {} consists of exact pieces, which form no grid",
             to_text(dist));
    return dist;
}

[[noreturn]] void fail_ownerless(std::span<const int64_t> index) {
    fail(DRI_ERR_ARG, "no process owns the element ({})", fmt::join(index, ","));
}

} // namespace

} // namespace dri

extern "C" {

int DRI_dist_create(DRI_Gdo gdo, DRI_Part part, DRI_Group group, DRI_Dist *dist) {
    return dri::guard("DRI_dist_create", [&] {
        // NULL does not fail here but in the agreement below, so that it fails on all members and not on one
        // alone.
        if (dist)
            *dist = {};
        const auto session = dri::session();
        // A wrong group handle fails on this process alone, because a process finds the others only through its
        // group. All other failures are agreed on by all members.
        const auto members = dri::group_handles.get(group.id);
        const auto agreed = session->agree_on_distribution(*members, [&] {
            dri::require_pointer(dist, "dist");
            return dri::Request{*dri::gdo_handles.get(gdo.id), *dri::part_handles.get(part.id), *members};
        });
        dist->id = dri::dist_handles.insert(agreed);
    });
}

int DRI_dist_get_part(DRI_Dist dist, int rank, DRI_Part_tuple tuples[]) {
    return dri::guard("DRI_dist_get_part", [&] {
        const dri::Held held(dist, rank);
        const auto out = dri::checked_array(tuples, held.dist->ndims(), "tuples");
        for (size_t d = 0; d < out.size(); ++d) {
            const dri::AxisBlock b = held.axis(d).bounds();
            out[d] = {b.left(), b.global, b.global + b.size, b.right()};
        }
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
        for (size_t d = 0; d < held.dist->ndims(); ++d)
            own.push_back(held.axis(d).owned());
        // Each count may be left out: NULL is allowed for both.
        if (owned)
            *owned = dri::count_elements(own);
        if (held_count)
            *held_count = dri::count_elements(held.dist->extents(held.position));
    });
}

int DRI_dist_num_blocks(DRI_Dist dist, int rank, int dim, int64_t *n) {
    return dri::guard("DRI_dist_num_blocks", [&] {
        const dri::Held held(dist, rank);
        const dri::AxisView axis = held.checked_axis(dim);
        dri::require_pointer(n, "n");
        *n = axis.num_blocks();
    });
}

int DRI_dist_get_block(DRI_Dist dist, int rank, int dim, int64_t i, DRI_Block *block) {
    return dri::guard("DRI_dist_get_block", [&] {
        const dri::Held held(dist, rank);
        const dri::AxisView axis = held.checked_axis(dim);
        dri::require_pointer(block, "block");
        if (i < 0 || i >= axis.num_blocks())
            dri::fail(DRI_ERR_ARG, "i is {}, but process {} has {} blocks along dimension {}", i, rank,
                      axis.num_blocks(), dim);
        const dri::AxisBlock b = axis.block(i);
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
    return dri::guard("DRI_dist_get_grid", [&] {
        dri::session();
        dri::copy_out(dri::require_grid(*dri::dist_handles.get(dist.id)).grid(), grid, "grid");
    });
}

int DRI_dist_get_coords(DRI_Dist dist, int rank, int coords[]) {
    return dri::guard("DRI_dist_get_coords", [&] {
        const dri::Held held(dist, rank);
        const dri::Distribution &grid = dri::require_grid(*held.dist);
        dri::copy_out(grid.coords_of_part(grid.part_of_position(held.position)), coords, "coords");
    });
}

int DRI_dist_owner(DRI_Dist dist, const int64_t index[], int *rank) {
    return dri::guard("DRI_dist_owner", [&] {
        dri::session();
        const auto object = dri::dist_handles.get(dist.id);
        const auto element = dri::checked_index(*object, index);
        dri::require_pointer(rank, "rank");
        const auto part = object->owner_part(element);
        if (!part)
            dri::fail_ownerless(element);
        // Of several replicas, the first one in the group's order is returned.
        *rank = object->group().rank(object->position_of_part(*part, 0));
    });
}

int DRI_dist_replicas(DRI_Dist dist, const int64_t index[], int *n, int ranks[]) {
    return dri::guard("DRI_dist_replicas", [&] {
        dri::session();
        const auto object = dri::dist_handles.get(dist.id);
        // A caller may ask for n alone, with ranks NULL, and then pass an array of n ranks.
        const auto owners = object->owners(dri::checked_index(*object, index));
        dri::require_pointer(n, "n");
        *n = static_cast<int>(owners.size());
        for (size_t k = 0; ranks && k < owners.size(); ++k)
            ranks[k] = object->group().rank(owners[k]);
    });
}

int DRI_dist_local_index(DRI_Dist dist, int rank, const int64_t index[], int64_t local[]) {
    return dri::guard("DRI_dist_local_index", [&] {
        const dri::Held held(dist, rank);
        const auto global = dri::checked_index(*held.dist, index);
        // Collected first: after an error the user's array is unchanged. The same holds for DRI_dist_global_index.
        dri::Dims locals;
        for (size_t d = 0; d < global.size(); ++d) {
            const auto at = held.axis(d).local_of(global[d]);
            if (!at)
                dri::fail(DRI_ERR_ARG, "process {} does not hold index {} of dimension {}", rank, global[d], d);
            locals.push_back(*at);
        }
        dri::copy_out(locals, local, "local");
    });
}

int DRI_dist_global_index(DRI_Dist dist, int rank, const int64_t local[], int64_t index[]) {
    return dri::guard("DRI_dist_global_index", [&] {
        const dri::Held held(dist, rank);
        const auto at = dri::checked_array(local, held.dist->ndims(), "local");
        dri::Dims global;
        for (size_t d = 0; d < at.size(); ++d) {
            const dri::AxisView axis = held.axis(d);
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
        dri::copy_out(global, index, "index");
    });
}

int DRI_dist_equal(DRI_Dist a, DRI_Dist b, int *flag) {
    return dri::guard("DRI_dist_equal", [&] {
        dri::session();
        const auto first = dri::dist_handles.get(a.id), second = dri::dist_handles.get(b.id);
        dri::require_pointer(flag, "flag");
        // Compares parts and not rules: two different rules may give the same parts.
        *flag = same_parts(*first, *second) ? 1 : 0;
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
