// The calls of part.h: partitions. All of a rule is checked here that can be checked without an array.
#include "api/arrays.hpp"
#include "api/rules.hpp"
#include "api/state.hpp"
#include "model/partition.hpp"

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
                all.push_back(dri::api::edge_of(dri::number_of(edge), all.size(), name));
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

int DRI_part_get_ndims(DRI_Part part, int *ndims) {
    return dri::api::guard("DRI_part_get_ndims", [&] {
        dri::api::session();
        const auto from = dri::api::get(part);
        dri::api::require_pointer(ndims, "ndims");
        *ndims = static_cast<int>(from->size());
    });
}

// Distributions contain a copy of their partition and stay valid.
int DRI_part_destroy(DRI_Part *part) {
    return dri::api::guard("DRI_part_destroy", [&] { dri::api::destroy_handle(part, "part"); });
}
}
