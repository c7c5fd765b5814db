#include "api/arrays.hpp"
#include "api/state.hpp"

namespace dri {

namespace {

CutKind kind_of(int kind, size_t dim) {
    switch (kind) {
    case DRI_WHOLE: return CutKind::whole;
    case DRI_BLOCK: return CutKind::block;
    case DRI_BLOCK_CYCLIC: return CutKind::block_cyclic;
    case DRI_SIZES: return CutKind::sizes;
    }
    fail(DRI_ERR_ARG, "dimension {}: kind {} is unknown", dim, kind);
}

Remainder remainder_of(int remainder, size_t dim) {
    switch (remainder) {
    case DRI_BALANCED: return Remainder::balanced;
    case DRI_BALANCED_LAST: return Remainder::balanced_last;
    case DRI_CEIL: return Remainder::ceil;
    case DRI_PROPORTIONAL: return Remainder::proportional;
    }
    fail(DRI_ERR_ARG, "dimension {}: remainder {} is unknown", dim, remainder);
}

CutRule rule_of(const DRI_Part_dim &from, size_t dim) {
    CutRule rule;
    rule.kind = kind_of(number_of(from.kind), dim);
    rule.nparts = from.nparts;
    rule.remainder = remainder_of(number_of(from.remainder), dim);
    rule.block = from.block;
    if (rule.kind == CutKind::sizes) {
        if (from.nparts > 0 && !from.sizes)
            fail(DRI_ERR_ARG, "dimension {}: kind DRI_SIZES needs sizes", dim);
        if (from.nparts > 0)
            rule.sizes.assign(from.sizes, from.sizes + from.nparts);
    } else if (from.sizes) {
        fail(DRI_ERR_ARG, "dimension {}: sizes belong to kind DRI_SIZES and must be NULL elsewhere", dim);
    }
    rule.min = from.min;
    rule.max = from.max;
    rule.multiple = from.multiple;
    for (const int64_t word : from.reserved)
        if (word != 0)
            fail(DRI_ERR_ARG, "dimension {}: a reserved field is not 0", dim);
    check_rule(rule, dim);
    return rule;
}

uint64_t insert(Partition partition) {
    return part_handles.insert(std::make_shared<const Partition>(std::move(partition)));
}

} // namespace

} // namespace dri

extern "C" {

int DRI_part_create_rule(int ndims, const DRI_Part_dim dims[], DRI_Part *part) {
    return dri::guard("DRI_part_create_rule", [&] {
        DRI_Part &out = dri::null_handle(part, "part");
        dri::session();
        dri::Partition made;
        for (const DRI_Part_dim &dim : dri::checked_array(dims, dri::checked_ndims(ndims), "dims"))
            made.push_back(dri::rule_of(dim, made.size()));
        out.id = dri::insert(std::move(made));
    });
}

int DRI_part_create_blocks(int ndims, int dim, DRI_Part *part) {
    return dri::guard("DRI_part_create_blocks", [&] {
        DRI_Part &out = dri::null_handle(part, "part");
        dri::session();
        dri::Partition made(dri::checked_ndims(ndims));
        if (dim < 0 || dim >= ndims)
            dri::fail(DRI_ERR_ARG, "dim is {}, but ndims is {}", dim, ndims);
        made[static_cast<size_t>(dim)].kind = dri::CutKind::block;
        out.id = dri::insert(std::move(made));
    });
}

int DRI_part_turn(DRI_Part part, const int perm[], DRI_Part *turned) {
    return dri::guard("DRI_part_turn", [&] {
        DRI_Part &out = dri::null_handle(turned, "turned");
        dri::session();
        const auto from = dri::part_handles.get(part.id);
        out.id = dri::insert(dri::turn(*from, dri::checked_array(perm, from->size(), "perm")));
    });
}

int DRI_part_destroy(DRI_Part *part) {
    return dri::guard("DRI_part_destroy", [&] {
        dri::session();
        dri::require_pointer(part, "part");
        dri::part_handles.erase(part->id);
        *part = {};
    });
}
}
