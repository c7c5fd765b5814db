// The calls of part.h: partitions. All of a rule is checked here that can be checked without an array.
#include "api/arrays.hpp"
#include "api/state.hpp"
#include "model/index_lists.hpp"
#include "model/part_axis.hpp"
#include "model/partition.hpp"

#include <limits>

namespace dri::api {

namespace {

// These functions translate every enumerator by its name. A C program may pass any number; unknown ones fail here.
model::CutKind kind_of(int kind, size_t dim) {
    switch (kind) {
    case DRI_WHOLE: return model::CutKind::whole;
    case DRI_BLOCK: return model::CutKind::block;
    case DRI_BLOCK_CYCLIC: return model::CutKind::block_cyclic;
    case DRI_SIZES: return model::CutKind::sizes;
    case DRI_WEIGHTS: return model::CutKind::weights;
    case DRI_INDICES: return model::CutKind::indices;
    }
    fail(DRI_ERR_ARG, "dimension {}: kind is {}, which is not a DRI_Part_kind", dim, kind);
}

model::Remainder remainder_of(int remainder, size_t dim) {
    switch (remainder) {
    case DRI_BALANCED: return model::Remainder::balanced;
    case DRI_BALANCED_LAST: return model::Remainder::balanced_last;
    case DRI_CEIL: return model::Remainder::ceil;
    case DRI_PROPORTIONAL: return model::Remainder::proportional;
    }
    fail(DRI_ERR_ARG, "dimension {}: remainder is {}, which is not a DRI_Remainder", dim, remainder);
}

model::Edge edge_of(int edge, size_t dim, const char *name) {
    switch (edge) {
    case DRI_TRUNCATE: return model::Edge::truncate;
    case DRI_WRAP: return model::Edge::wrap;
    case DRI_PAD_ZERO: return model::Edge::pad_zero;
    case DRI_PAD_REPLICATE: return model::Edge::pad_replicate;
    }
    fail(DRI_ERR_ARG, "dimension {}: {} is {}, which is not a DRI_Edge", dim, name, edge);
}

// An array that belongs to one kind of rule. With that kind it has n values; with any other it must be NULL.
template <class T>
std::vector<T> values_of(const T *values, int64_t n, bool belongs, size_t dim, const char *name,
                         const char *kind) {
    // Checked before n: an array for another kind is an error even if it is empty.
    if (!belongs && values)
        fail(DRI_ERR_ARG, "dimension {}: {} are for kind {} only and must be NULL for other kinds", dim, name,
             kind);
    if (!belongs || n <= 0)
        return {};
    if (!values)
        fail(DRI_ERR_ARG, "dimension {}: kind {} needs {}", dim, kind, name);
    if (n > std::numeric_limits<int64_t>::max() / static_cast<int64_t>(sizeof(T)))
        fail(DRI_ERR_ARG, "dimension {}: {} {} are more than fit into memory", dim, n, name);
    // A copy: the user may change or free the array after the call.
    return {values, values + n};
}

// The list of this process's own part. Those of the other parts arrive in DRI_dist_create.
void add_list(model::CutRule &rule, const DRI_Part_dim &from, size_t dim) {
    const bool belongs = rule.kind == model::CutKind::indices;
    if (from.nindices < 0 || (!belongs && from.nindices != 0))
        fail(DRI_ERR_ARG, "dimension {}: nindices is {}, but must be at least 0, and 0 unless kind is DRI_INDICES",
             dim, from.nindices);
    const auto indices = values_of(from.indices, from.nindices, belongs, dim, "indices", "DRI_INDICES");
    for (size_t i = 0; i < indices.size(); ++i)
        // The largest number is refused, because the end of a range, one past its last index, must fit as well.
        if (indices[i] < 0 || indices[i] == std::numeric_limits<int64_t>::max())
            fail(DRI_ERR_ARG, "dimension {}: indices[{}] is {}, but must be 0 to 2^63 - 2", dim, i, indices[i]);
    if (belongs)
        rule.lists.push_back(model::compress(indices));
}

model::CutRule rule_of(const DRI_Part_dim &from, size_t dim) {
    model::CutRule rule;
    rule.kind = kind_of(number_of(from.kind), dim);
    rule.nparts = from.nparts;
    rule.remainder = remainder_of(number_of(from.remainder), dim);
    rule.block = from.block;
    rule.sizes = values_of(from.sizes, from.nparts, rule.kind == model::CutKind::sizes, dim, "sizes", "DRI_SIZES");
    rule.weights =
        values_of(from.weights, from.nparts, rule.kind == model::CutKind::weights, dim, "weights", "DRI_WEIGHTS");
    add_list(rule, from, dim);
    rule.min = from.min;
    rule.max = from.max;
    rule.multiple = from.multiple;
    rule.overlap = {from.left, from.right, edge_of(number_of(from.left_edge), dim, "left_edge"),
                    edge_of(number_of(from.right_edge), dim, "right_edge")};
    // Reserved words must be 0, so that a later version can give them a meaning.
    for (size_t i = 0; i < std::size(from.reserved); ++i)
        if (from.reserved[i] != 0)
            fail(DRI_ERR_ARG, "dimension {}: reserved[{}] is {}, but must be 0", dim, i, from.reserved[i]);
    model::check_rule(rule, dim);
    return rule;
}

model::CutRule rule_of(const DRI_Part_tuple &from, size_t dim) {
    model::CutRule rule;
    rule.kind = model::CutKind::exact;
    rule.lo = from.left_x;
    rule.hi = from.right_x;
    // check_rule() would name these fields as a rule names them: left and right.
    if (from.left_v < 0 || from.right_v < 0)
        fail(DRI_ERR_ARG, "dimension {}: left_v is {} and right_v is {}, but both must be at least 0", dim,
             from.left_v, from.right_v);
    rule.overlap.left = from.left_v;
    rule.overlap.right = from.right_v;
    model::check_rule(rule, dim);
    return rule;
}

} // namespace

} // namespace dri::api

extern "C" {

int DRI_part_create(int ndims, const DRI_Part_tuple tuples[], DRI_Part *part) {
    return dri::api::guard("DRI_part_create", [&] {
        DRI_Part &out = dri::api::null_handle(part, "part");
        dri::api::session();
        dri::model::Partition made;
        for (const DRI_Part_tuple &tuple :
             dri::api::checked_array(tuples, dri::api::checked_ndims(ndims), "tuples"))
            made.push_back(dri::api::rule_of(tuple, made.size()));
        out = dri::api::make_handle<DRI_Part>(std::move(made));
    });
}

int DRI_part_with_edges(DRI_Part part, const DRI_Edge left_edges[], const DRI_Edge right_edges[],
                        DRI_Part *with_edges) {
    return dri::api::guard("DRI_part_with_edges", [&] {
        DRI_Part &out = dri::api::null_handle(with_edges, "with_edges");
        dri::api::session();
        const auto from = dri::api::get(part);
        const auto edges = [&](const DRI_Edge values[], const char *name) {
            std::vector<dri::model::Edge> all;
            for (const DRI_Edge &edge : dri::api::checked_array(values, from->size(), name))
                all.push_back(dri::api::edge_of(dri::api::number_of(edge), all.size(), name));
            return all;
        };
        const auto left = edges(left_edges, "left_edges"), right = edges(right_edges, "right_edges");
        out = dri::api::make_handle<DRI_Part>(dri::model::with_edges(*from, left, right));
    });
}

int DRI_part_create_rule(int ndims, const DRI_Part_dim dims[], DRI_Part *part) {
    return dri::api::guard("DRI_part_create_rule", [&] {
        DRI_Part &out = dri::api::null_handle(part, "part");
        dri::api::session();
        dri::model::Partition made;
        for (const DRI_Part_dim &dim : dri::api::checked_array(dims, dri::api::checked_ndims(ndims), "dims"))
            made.push_back(dri::api::rule_of(dim, made.size()));
        out = dri::api::make_handle<DRI_Part>(std::move(made));
    });
}

int DRI_part_create_blocks(int ndims, int dim, DRI_Part *part) {
    return dri::api::guard("DRI_part_create_blocks", [&] {
        DRI_Part &out = dri::api::null_handle(part, "part");
        dri::api::session();
        dri::model::Partition made(dri::api::checked_ndims(ndims));
        if (dim < 0 || dim >= ndims)
            dri::fail(DRI_ERR_ARG, "dim is {}, but must be at least 0 and less than ndims, which is {}", dim,
                      ndims);
        // nparts stays 0: the group that the partition meets determines the number of blocks.
        made[static_cast<size_t>(dim)].kind = dri::model::CutKind::block;
        out = dri::api::make_handle<DRI_Part>(std::move(made));
    });
}

int DRI_part_turn(DRI_Part part, const int perm[], DRI_Part *turned) {
    return dri::api::guard("DRI_part_turn", [&] {
        DRI_Part &out = dri::api::null_handle(turned, "turned");
        dri::api::session();
        const auto from = dri::api::get(part);
        out = dri::api::make_handle<DRI_Part>(
            dri::model::turn(*from, dri::api::checked_array(perm, from->size(), "perm")));
    });
}

// Distributions contain a copy of their partition and stay valid.
int DRI_part_destroy(DRI_Part *part) {
    return dri::api::guard("DRI_part_destroy", [&] { dri::api::destroy_handle(part, "part"); });
}
}
