// Describes a process's part of a distribution.
#include "dap/faults.hpp"
#include "dap/pieces_grid.hpp"
#include "outer/owned.hpp"

#include <dri/dap.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <new>
#include <numeric>

namespace dri::dap {

namespace {

// A distribution, and a process's place in it.
struct Place {
    DRI_Dist dist{};
    int rank = 0;
    std::vector<int> ranks; // of the group
    std::vector<int64_t> sizes;
    std::vector<int> grid, coords;
    int copies = 1, copy = 0; // how often the group holds the data, and which of the copies this is

    int ndims() const { return static_cast<int>(sizes.size()); }
    // The process of this copy with another coordinate along dimension d.
    int rank_at(int d, int coordinate) const {
        size_t position = static_cast<size_t>(copy);
        for (int e = 0; e < ndims(); ++e)
            position = position * static_cast<size_t>(grid[static_cast<size_t>(e)]) +
                       static_cast<size_t>(e == d ? coordinate : coords[static_cast<size_t>(e)]);
        return ranks[position];
    }
};

DRI_Part_dim rule_of(const Place &at, int d) {
    DRI_Part_dim rule;
    outer::require(DRI_dist_get_rule(at.dist, d, &rule));
    return rule;
}

ExactPiece piece_of(const Place &at, int rank) {
    ExactPiece piece(at.sizes.size());
    outer::require(DRI_dist_get_part(at.dist, rank, piece.data()));
    return piece;
}

void find_in_pieces(Place &at, int position) {
    std::vector<ExactPiece> pieces;
    for (const int rank : at.ranks)
        pieces.push_back(piece_of(at, rank));
    const auto grid = grid_of(pieces, at.sizes);
    if (!grid)
        fail(DRI_ERR_UNSUPPORTED, "the exact pieces of {} processes form no grid in row-major order",
             at.ranks.size());
    at.grid = *grid;
    for (size_t d = at.sizes.size(); d-- > 0; position /= at.grid[d])
        at.coords[d] = position % at.grid[d];
}

Place find_place(DRI_Dist dist, int rank) {
    Place at{dist, rank, {}, {}, {}, {}, 1, 0};
    outer::OwnedGdo gdo;
    outer::OwnedGroup group;
    outer::require(DRI_dist_get_gdo(dist, gdo.out()));
    outer::require(DRI_dist_get_group(dist, group.out()));
    int ndims = 0, n = 0;
    outer::require(DRI_gdo_get_sizes(gdo.get(), &ndims, nullptr));
    at.sizes.resize(static_cast<size_t>(ndims));
    at.grid.resize(at.sizes.size());
    at.coords.resize(at.sizes.size());
    outer::require(DRI_gdo_get_sizes(gdo.get(), nullptr, at.sizes.data()));
    outer::require(DRI_group_get_size(group.get(), &n, nullptr));
    at.ranks.resize(static_cast<size_t>(n));
    outer::require(DRI_group_get_ranks(group.get(), at.ranks.data()));
    const auto found = std::find(at.ranks.begin(), at.ranks.end(), rank);
    if (found == at.ranks.end())
        fail(DRI_ERR_ARG, "process {} is not in the group", rank);
    const auto position = static_cast<int>(found - at.ranks.begin());
    if (ndims > 0 && rule_of(at, 0).kind == DRI_PIECES) {
        find_in_pieces(at, position);
        return at;
    }
    outer::require(DRI_dist_get_grid(dist, at.grid.data()));
    outer::require(DRI_dist_get_coords(dist, rank, at.coords.data()));
    const int parts = std::accumulate(at.grid.begin(), at.grid.end(), 1, std::multiplies{});
    at.copies = n / parts;
    at.copy = position / parts;
    if (ndims == 0 && at.copies > 1)
        fail(DRI_ERR_UNSUPPORTED, "{} processes hold an array without dimensions, which has no grid", n);
    return at;
}

// The indices that the process owns along a dimension, in the order of its buffer.
std::vector<int64_t> owned_indices(const Place &at, int d) {
    int64_t blocks = 0;
    outer::require(DRI_dist_num_blocks(at.dist, at.rank, d, &blocks));
    std::vector<int64_t> indices;
    for (int64_t i = 0; i < blocks; ++i) {
        DRI_Block block;
        outer::require(DRI_dist_get_block(at.dist, at.rank, d, i, &block));
        for (int64_t k = 0; k < block.size; ++k)
            indices.push_back(block.global + k);
    }
    return indices;
}

void refuse_overlap(const DRI_Part_dim &rule, int d, const char *kind) {
    if (rule.left > 0 || rule.right > 0)
        fail(DRI_ERR_UNSUPPORTED,
             "dimension {}: overlap of {} and {} on {}; the protocol has padding of blocks only", d, rule.left,
             rule.right, kind);
}

// The protocol's padding is inside the array, equal on both sides of a border, and owned by the neighbour.
void refuse_unlike_padding(const std::vector<DRI_Part_tuple> &line, int64_t size, int d) {
    for (const DRI_Part_tuple &t : line)
        if (t.left_v > t.left_x || t.right_v > size - t.right_x)
            fail(DRI_ERR_UNSUPPORTED, "dimension {}: overlap of {} and {} at [{}, {}) exceeds the array of {}", d,
                 t.left_v, t.right_v, t.left_x, t.right_x, size);
    for (size_t i = 1; i < line.size(); ++i) {
        const DRI_Part_tuple &a = line[i - 1], &b = line[i];
        const auto owned = [](const DRI_Part_tuple &t) { return t.right_x - t.left_x; };
        if (a.right_v > owned(b) || b.left_v > owned(a))
            fail(DRI_ERR_UNSUPPORTED,
                 "dimension {}: overlap between parts {} and {} is {} and {}, but they own {} and {}", d, i - 1, i,
                 b.left_v, a.right_v, owned(a), owned(b));
        if (a.right_v != b.left_v)
            fail(DRI_ERR_UNSUPPORTED,
                 "dimension {}: overlap between parts {} and {} is {} before and {} behind the border", d, i - 1,
                 i, b.left_v, a.right_v);
    }
}

// What the caller says about boundary padding and the period of a dimension.
struct Annotation {
    int64_t left = 0, right = 0;
    bool periodic = false;
};

Annotation annotation_of(int d, const int64_t boundary[][2], const int periodic[]) {
    Annotation said;
    if (boundary) {
        said.left = boundary[d][0];
        said.right = boundary[d][1];
    }
    if (said.left < 0 || said.right < 0)
        fail(DRI_ERR_ARG, "dimension {}: boundary is ({}, {}), but must be >= 0", d, said.left, said.right);
    if (periodic && periodic[d] != 0 && periodic[d] != 1)
        fail(DRI_ERR_ARG, "dimension {}: periodic is {}, but must be 0 or 1", d, periodic[d]);
    said.periodic = periodic && periodic[d];
    return said;
}

void refuse_annotation(const Annotation &said, int d, char type) {
    if (said.left || said.right || said.periodic)
        fail(DRI_ERR_ARG, "dimension {}: it becomes '{}', which has neither boundary padding nor a period", d,
             type);
}

void describe_block(const Place &at, int d, bool may_overlap, const Annotation &said, DRI_Dap_dim &dim) {
    const auto i = static_cast<size_t>(d);
    const DRI_Part_tuple own = piece_of(at, at.rank)[i];
    bool is_padded = said.left || said.right;
    if (may_overlap) {
        std::vector<DRI_Part_tuple> line;
        for (int c = 0; c < at.grid[i]; ++c)
            line.push_back(piece_of(at, at.rank_at(d, c))[i]);
        refuse_unlike_padding(line, at.sizes[i], d);
        for (const DRI_Part_tuple &t : line)
            is_padded = is_padded || t.left_v || t.right_v;
    }
    dim.dist_type = 'b';
    dim.keys |= uint32_t{DRI_DAP_START} | uint32_t{DRI_DAP_STOP};
    dim.start = own.left_x - own.left_v;
    dim.stop = own.right_x + own.right_v;
    if (is_padded) {
        dim.keys |= DRI_DAP_PADDING;
        dim.padding[0] = dim.proc_grid_rank == 0 ? said.left : own.left_v;
        dim.padding[1] = dim.proc_grid_rank == dim.proc_grid_size - 1 ? said.right : own.right_v;
    }
    if (said.periodic) {
        dim.keys |= DRI_DAP_PERIODIC;
        dim.periodic = 1;
    }
}

void describe_cyclic(int64_t block, DRI_Dap_dim &dim) {
    dim.dist_type = 'c';
    dim.keys |= DRI_DAP_START;
    // Any start at the end or behind it is that of an empty part.
    if (__builtin_mul_overflow(block, int64_t{dim.proc_grid_rank}, &dim.start))
        dim.start = dim.size;
    if (block > 1) {
        dim.keys |= DRI_DAP_BLOCK_SIZE;
        dim.block_size = block;
    }
}

// The list is returned, because the memory of all is reserved together.
std::vector<int64_t> describe_dimension(const Place &at, int d, const Annotation &said, DRI_Dap_dim &dim) {
    const auto i = static_cast<size_t>(d);
    const DRI_Part_dim rule = rule_of(at, d);
    dim.keys = needed_keys(0);
    dim.size = at.sizes[i];
    dim.proc_grid_size = at.grid[i];
    dim.proc_grid_rank = at.coords[i];
    const bool is_copied = d == 0 && at.copies > 1;
    const bool is_list = rule.kind == DRI_INDICES || rule.kind == DRI_RUNS;
    const bool is_cyclic = rule.kind == DRI_BLOCK_CYCLIC;
    if (!is_copied && !is_list && !is_cyclic) {
        const bool may_overlap = rule.kind == DRI_PIECES || rule.left > 0 || rule.right > 0;
        describe_block(at, d, may_overlap, said, dim);
        return {};
    }
    refuse_overlap(rule, d,
                   is_list     ? "lists"
                   : is_cyclic ? "cyclic blocks"
                               : "data that the group holds several times");
    if (!is_copied && is_cyclic && rule.phase == 0) {
        refuse_annotation(said, d, 'c');
        describe_cyclic(rule.block, dim);
        return {};
    }
    refuse_annotation(said, d, 'u');
    dim.dist_type = 'u';
    dim.keys |= DRI_DAP_INDICES;
    if (d == 0) {
        dim.proc_grid_rank += at.copy * dim.proc_grid_size;
        dim.proc_grid_size *= at.copies;
    }
    return owned_indices(at, d);
}

// Gives the description memory of its own for its lists.
void keep_lists(DRI_Dap &dap, const std::vector<std::vector<int64_t>> &lists) {
    size_t numbers = 0;
    for (const auto &list : lists)
        numbers += list.size();
    if (numbers == 0)
        return;
    dap.owner = std::malloc(numbers * sizeof(int64_t));
    if (!dap.owner)
        throw std::bad_alloc();
    auto *next = static_cast<int64_t *>(dap.owner);
    for (size_t d = 0; d < lists.size(); ++d) {
        dap.dim_data[d].indices = lists[d].empty() ? nullptr : next;
        dap.dim_data[d].nindices = static_cast<int64_t>(lists[d].size());
        next = std::copy(lists[d].begin(), lists[d].end(), next);
    }
}

void describe_buffer(const Place &at, DRI_Layout layout, void *buffer, DRI_Dap &dap) {
    DRI_Complex_format format;
    outer::require(DRI_layout_get_options(layout, nullptr, nullptr, &format));
    if (format == DRI_SPLIT)
        fail(DRI_ERR_UNSUPPORTED, "the layout is split, but a buffer of the protocol has whole elements");
    outer::require(DRI_dist_get_extents(at.dist, at.rank, dap.shape));
    outer::require(DRI_layout_get_strides(layout, at.dist, at.rank, dap.strides));
    outer::OwnedGdo gdo;
    outer::OwnedType type;
    outer::require(DRI_dist_get_gdo(at.dist, gdo.out()));
    outer::require(DRI_gdo_get_type(gdo.get(), type.out()));
    outer::require(DRI_type_get_pitch(type.get(), &dap.itemsize));
    for (int d = 0; d < dap.ndims; ++d)
        dap.strides[d] *= static_cast<int64_t>(dap.itemsize);
    dap.buffer = buffer;
}

DRI_Dap describe(const Place &at, DRI_Layout layout, void *buffer, const int64_t boundary[][2],
                 const int periodic[]) {
    DRI_Dap dap{};
    const std::string_view version = DRI_DAP_VERSION;
    std::copy(version.begin(), version.end(), dap.version);
    dap.ndims = at.ndims();
    describe_buffer(at, layout, buffer, dap);
    std::vector<std::vector<int64_t>> lists;
    for (int d = 0; d < dap.ndims; ++d)
        lists.push_back(describe_dimension(at, d, annotation_of(d, boundary, periodic), dap.dim_data[d]));
    for (size_t d = 0; d < lists.size(); ++d) {
        DRI_Dap_dim whole = dap.dim_data[d];
        whole.indices = lists[d].data();
        whole.nindices = static_cast<int64_t>(lists[d].size());
        if (const auto found = fault_of(whole, static_cast<int>(d), dap.shape[d]))
            fail(found->rule == DRI_DAP_RULE_INDICES_NOT_UNIQUE ? DRI_ERR_UNSUPPORTED : DRI_ERR_ARG, "{}",
                 found->message);
    }
    keep_lists(dap, lists);
    return dap;
}

} // namespace

} // namespace dri::dap

extern "C" {

int DRI_dap_export(DRI_Dist dist, int rank, DRI_Layout layout, void *buffer, const int64_t boundary[][2],
                   const int periodic[], DRI_Dap *dap) {
    return dri::outer::run("DRI_dap_export", [&] {
        dri::outer::require_pointer(dap, "dap");
        *dap = {};
        *dap = dri::dap::describe(dri::dap::find_place(dist, rank), layout, buffer, boundary, periodic);
    });
}

int DRI_dap_free(DRI_Dap *dap) {
    if (dap) {
        std::free(dap->owner);
        *dap = {};
    }
    return DRI_SUCCESS;
}
}
