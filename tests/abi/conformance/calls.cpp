// The calls of calls.hpp, made of the C++ interface. The type of the elements and the number of dimensions are
// part of its types, so an object is a virtual class here, with a template for each type and each number of
// dimensions.
#define FACE_CALLS_THEMSELVES
#include "calls.hpp"
#include "objects.hpp"

#include <dri/dri_mpi.hpp>

#include <cstring>
#include <optional>

namespace {

using namespace face_calls;

Table<Owned<Array>> arrays;
Table<std::any> partitions; // dri::Partition<N>
Table<dri::Group> groups;
Table<Owned<Distribution>> distributions;
Table<dri::Layout> layouts;
Table<Owned<Endpoint>> endpoints;
std::optional<dri::Environment> environment;
std::string last_message;

template <class Call> int code_of(const Call &call) {
    try {
        call();
        return DRI_SUCCESS;
    } catch (const dri::Error &error) {
        last_message = error.what();
        return error.code();
    }
}

// Calls work with the number of dimensions as a constant.
template <class Work> void with_dims(int ndims, const Work &work) {
    switch (ndims) {
    case 0: return work(std::integral_constant<std::size_t, 0>());
    case 1: return work(std::integral_constant<std::size_t, 1>());
    case 2: return work(std::integral_constant<std::size_t, 2>());
    case 3: return work(std::integral_constant<std::size_t, 3>());
    case 4: return work(std::integral_constant<std::size_t, 4>());
    default: throw dri::Error(DRI_ERR_ARG, std::to_string(ndims) + " dimensions: none of the types here has them");
    }
}

// Calls work with a value of the type that a handle names.
template <class Work> void with_type(DRI_Type type, const Work &work) {
    bool found = false;
    const auto try_type = [&](auto value, DRI_Type of_c) {
        if (!found && type.id == of_c.id) {
            found = true;
            work(value);
        }
    };
    try_type(int8_t(), DRI_INT8);
    try_type(int16_t(), DRI_INT16);
    try_type(int32_t(), DRI_INT32);
    try_type(int64_t(), DRI_INT64);
    try_type(uint8_t(), DRI_UINT8);
    try_type(uint16_t(), DRI_UINT16);
    try_type(uint32_t(), DRI_UINT32);
    try_type(uint64_t(), DRI_UINT64);
    try_type(float(), DRI_FLOAT);
    try_type(double(), DRI_DOUBLE);
    try_type(dri::cint8(), DRI_COMPLEX_INT8);
    try_type(dri::cint16(), DRI_COMPLEX_INT16);
    try_type(std::complex<float>(), DRI_COMPLEX_FLOAT);
    try_type(std::complex<double>(), DRI_COMPLEX_DOUBLE);
    try_type(Record(), record_type);
    if (!found)
        throw dri::Error(DRI_ERR_HANDLE, "there is no such type");
}

dri::Cut cut_of(const DRI_Part_dim &rule) {
    const auto made = [&] {
        switch (rule.kind) {
        case DRI_WHOLE: return dri::whole();
        case DRI_BLOCK: return dri::block(rule.nparts, static_cast<dri::Remainder>(rule.remainder));
        case DRI_BLOCK_CYCLIC: return dri::cyclic(rule.block, rule.nparts, rule.phase);
        case DRI_SIZES: return dri::sizes(std::span(rule.sizes, static_cast<size_t>(rule.nparts)));
        case DRI_WEIGHTS: return dri::weights(std::span(rule.weights, static_cast<size_t>(rule.nparts)));
        case DRI_INDICES:
            return dri::indices(std::span(rule.indices, static_cast<size_t>(rule.nindices)), rule.nparts);
        case DRI_RUNS: return dri::runs(std::span(rule.runs, static_cast<size_t>(rule.nruns)), rule.nparts);
        case DRI_PIECES: break;
        }
        return dri::Cut(rule);
    };
    return made()
        .overlap(rule.left, rule.right)
        .edges(static_cast<dri::Edge>(rule.left_edge), static_cast<dri::Edge>(rule.right_edge))
        .min(rule.min)
        .max(rule.max)
        .multiple(rule.multiple);
}

template <std::size_t N, std::size_t... D>
dri::Partition<N> partition_of(const DRI_Part_dim *rules, std::index_sequence<D...>) {
    return dri::Partition<N>(cut_of(rules[D])...);
}

template <std::size_t N> std::array<dri::Edge, N> edges_of(const DRI_Edge *edges) {
    std::array<dri::Edge, N> found{};
    for (std::size_t d = 0; d < N; ++d)
        found[d] = static_cast<dri::Edge>(edges[d]);
    return found;
}

dri::Layout layout_of(DRI_Layout handle) {
    return handle.id == DRI_ROW_MAJOR.id || handle.id == DRI_COL_MAJOR.id ? dri::Layout::adopt(handle)
                                                                          : layouts.at(handle.id);
}

} // namespace

extern "C" {

const char *face_error_message() { return last_message.c_str(); }

int face_init_comm(MPI_Comm world) {
    return code_of([&] { environment.emplace(dri::environment_of(world)); });
}

int face_finalize() {
    endpoints.clear();
    return code_of([] { environment->finalize(); });
}

int face_type_create(size_t size, size_t alignment, DRI_Type *type) {
    return code_of([&] {
        if ((size + alignment - 1) / alignment * alignment != sizeof(Record))
            throw dri::Error(DRI_ERR_UNSUPPORTED, "the only record here has 8 bytes");
        *type = record_type;
    });
}

int face_type_get_pitch(DRI_Type type, size_t *pitch) {
    return code_of([&] { with_type(type, [&](auto value) { *pitch = sizeof(value); }); });
}

int face_type_destroy(DRI_Type *type) {
    *type = DRI_Type{};
    return DRI_SUCCESS;
}

int face_gdo_create(int ndims, DRI_Type type, const int64_t sizes[], DRI_Gdo *gdo) {
    *gdo = DRI_Gdo{};
    return code_of([&] {
        with_type(type, [&](auto value) {
            with_dims(ndims, [&](auto dims) {
                using Made = dri::Gdo<decltype(value), dims>;
                arrays.add(gdo, Owned<Array>(new ArrayOf<decltype(value), dims>(Made(index_of<dims>(sizes)))));
            });
        });
    });
}

int face_gdo_subset(DRI_Gdo gdo, const int64_t offsets[], const int64_t sizes[], DRI_Gdo *sub) {
    *sub = DRI_Gdo{};
    return code_of([&] { arrays.add(sub, arrays.at(gdo.id)->subset(offsets, sizes)); });
}

int face_gdo_get_sizes(DRI_Gdo gdo, int *ndims, int64_t sizes[]) {
    return code_of([&] {
        int64_t found[DRI_MAX_DIMS];
        const int n = arrays.at(gdo.id)->sizes(found);
        if (ndims)
            *ndims = n;
        if (sizes)
            std::copy_n(found, n, sizes);
    });
}

int face_gdo_get_count(DRI_Gdo gdo, int64_t *elements, int64_t *bytes) {
    return code_of([&] {
        if (elements)
            *elements = arrays.at(gdo.id)->size();
        if (bytes)
            *bytes = arrays.at(gdo.id)->bytes();
    });
}

int face_gdo_destroy(DRI_Gdo *gdo) {
    return code_of([&] { arrays.erase(gdo); });
}

int face_part_create(int ndims, const DRI_Part_tuple tuples[], DRI_Part *part) {
    *part = DRI_Part{};
    return code_of([&] {
        with_dims(ndims, [&](auto dims) {
            std::array<DRI_Part_tuple, dims> mine{};
            std::copy_n(tuples, dims(), mine.begin());
            partitions.add(part, std::any(dri::pieces(mine)));
        });
    });
}

int face_part_create_rule(int ndims, const DRI_Part_dim rules[], DRI_Part *part) {
    *part = DRI_Part{};
    return code_of([&] {
        with_dims(ndims, [&](auto dims) {
            partitions.add(part, std::any(partition_of<dims>(rules, std::make_index_sequence<dims>())));
        });
    });
}

int face_part_create_blocks(int ndims, int dim, DRI_Part *part) {
    *part = DRI_Part{};
    return code_of(
        [&] { with_dims(ndims, [&](auto dims) { partitions.add(part, std::any(dri::cut_dim<dims>(dim))); }); });
}

int face_part_with_edges(DRI_Part part, const DRI_Edge left[], const DRI_Edge right[], DRI_Part *with_edges) {
    *with_edges = DRI_Part{};
    return code_of([&] {
        const std::any &from = partitions.at(part.id);
        for (int ndims = 0; ndims <= 4; ++ndims)
            with_dims(ndims, [&](auto dims) {
                if (const auto *cuts = std::any_cast<dri::Partition<dims>>(&from))
                    partitions.add(with_edges,
                                   std::any(cuts->with_edges(edges_of<dims>(left), edges_of<dims>(right))));
            });
    });
}

int face_part_destroy(DRI_Part *part) {
    return code_of([&] { partitions.erase(part); });
}

int face_group_create(int nprocs, const int procs[], DRI_Group *group) {
    *group = DRI_Group{};
    return code_of([&] { groups.add(group, dri::Group(std::span(procs, static_cast<size_t>(nprocs)))); });
}

int face_group_create_world(DRI_Group *group) {
    return code_of([&] { groups.add(group, dri::world()); });
}

int face_group_destroy(DRI_Group *group) {
    return code_of([&] { groups.erase(group); });
}

int face_dist_create(DRI_Gdo gdo, DRI_Part part, DRI_Group group, DRI_Dist *dist) {
    *dist = DRI_Dist{};
    return code_of([&] {
        distributions.add(dist, arrays.at(gdo.id)->distribute(partitions.at(part.id), groups.at(group.id)));
    });
}

int face_dist_get_part(DRI_Dist dist, int rank, DRI_Part_tuple tuples[]) {
    return code_of([&] { distributions.at(dist.id)->tuples(rank, tuples); });
}

int face_dist_get_extents(DRI_Dist dist, int rank, int64_t extents[]) {
    return code_of([&] { distributions.at(dist.id)->extents(rank, extents); });
}

int face_dist_get_count(DRI_Dist dist, int rank, int64_t *owned, int64_t *held) {
    return code_of([&] {
        if (owned)
            *owned = distributions.at(dist.id)->owned(rank);
        if (held)
            *held = distributions.at(dist.id)->held(rank);
    });
}

int face_dist_get_grid(DRI_Dist dist, int grid[]) {
    return code_of([&] { distributions.at(dist.id)->grid(grid); });
}

int face_dist_destroy(DRI_Dist *dist) {
    return code_of([&] { distributions.erase(dist); });
}

int face_layout_create(int ndims, const int64_t strides[], DRI_Layout *layout) {
    *layout = DRI_Layout{};
    return code_of(
        [&] { layouts.add(layout, dri::Layout::strides(std::span(strides, static_cast<size_t>(ndims)))); });
}

int face_layout_create_packed(int ndims, const int order[], DRI_Layout *layout) {
    *layout = DRI_Layout{};
    return code_of([&] { layouts.add(layout, dri::Layout(std::span(order, static_cast<size_t>(ndims)))); });
}

int face_layout_destroy(DRI_Layout *layout) {
    return code_of([&] { layouts.erase(layout); });
}

int face_xfer_create(const char *name, DRI_Role role, DRI_Dist dist, DRI_Layout layout, int nbuffs,
                     void *const buffs[], DRI_Xfer *xfer) {
    *xfer = DRI_Xfer{};
    return code_of([&] {
        const dri::Options options{.layout = layout_of(layout), .buffers = nbuffs};
        endpoints.add(xfer, distributions.at(dist.id)->declare(name, role, options, buffs));
    });
}

int face_xfer_set_attr(DRI_Xfer xfer, DRI_Attr attr, int64_t value) {
    return code_of([&] { endpoints.at(xfer.id)->set(attr, value); });
}

int face_xfer_rebase(DRI_Xfer xfer, const int64_t offset[]) {
    return code_of([&] { endpoints.at(xfer.id)->rebase(offset); });
}

int face_xfer_get_buffer(DRI_Xfer xfer, void **buf) {
    return code_of([&] { *buf = endpoints.at(xfer.id)->buffer(); });
}

int face_xfer_get_buffers(DRI_Xfer xfer, int *n, void *bufs[]) {
    return code_of([&] {
        const auto found = endpoints.at(xfer.id)->buffers();
        if (n)
            *n = static_cast<int>(found.size());
        if (bufs)
            std::copy(found.begin(), found.end(), bufs);
    });
}

int face_xfer_buffer_bytes(DRI_Xfer xfer, size_t *bytes) {
    return code_of([&] { dri::detail::check(DRI_xfer_buffer_bytes(endpoints.at(xfer.id)->handle(), bytes)); });
}

int face_xfer_get_info(DRI_Xfer xfer, DRI_Xfer_info *info) {
    return code_of([&] { *info = endpoints.at(xfer.id)->info(); });
}

int face_xfer_explain(DRI_Xfer xfer, char *text, size_t n) {
    return code_of([&] {
        const std::string plan = endpoints.at(xfer.id)->explain().substr(0, n - 1);
        std::memcpy(text, plan.c_str(), plan.size() + 1);
    });
}

int face_xfer_destroy(DRI_Xfer *xfer) {
    return code_of([&] { endpoints.erase(xfer); });
}

int face_commit(DRI_Group scope) {
    return code_of([&] { dri::commit(groups.at(scope.id)); });
}

int face_do(const char *name, DRI_Xfer xfer) {
    return code_of([&] { xfer.id != 0 ? endpoints.at(xfer.id)->run() : dri::run(name); });
}
}
