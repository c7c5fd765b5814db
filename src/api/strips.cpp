// The calls of strips.h: endpoints whose frames are strips.
#include "api/declaration.hpp"
#include "api/guard.hpp"
#include "api/lookup.hpp"
#include "api/state.hpp"
#include "commit/endpoint.hpp"
#include "model/tiling.hpp"

#include <dri/strips.h>

extern "C" {

int DRI_xfer_create_strips(const char *name, DRI_Role role, DRI_Gdo whole, int dim, DRI_Dist strip,
                           DRI_Layout layout, int nbuffs, void *const buffs[], DRI_Xfer *xfer) {
    return dri::api::guard("DRI_xfer_create_strips", [&] {
        DRI_Xfer &out = dri::api::null_handle(xfer, "xfer");
        dri::api::session();
        dri::commit::Declaration declaration =
            dri::api::get_declaration(name, role, dri::api::get(strip), layout, nbuffs, buffs);
        if (declaration.role == dri::commit::Role::sink && buffs)
            dri::fail(DRI_ERR_ARG, "buffs must be NULL for a sink of strips: the library reserves its stores");
        declaration.strips = dri::model::make_strips(*dri::api::get(whole), dim, *declaration.dist);
        // The last strip may be shorter than the others, so a source is checked with it as well.
        const int64_t last = dri::model::count_strips(declaration.strips, *declaration.dist) - 1;
        const auto last_dist = dri::model::strip_of(declaration.dist, declaration.strips, last);
        if (declaration.role == dri::commit::Role::source)
            dri::model::check_source(*last_dist);
        out = dri::api::declare(std::move(declaration));
    });
}

int DRI_xfer_get_strip(DRI_Xfer xfer, int64_t strip, DRI_Dist *dist) {
    return dri::api::guard("DRI_xfer_get_strip", [&] {
        DRI_Dist &out = dri::api::null_handle(dist, "dist");
        out = dri::api::make_handle<DRI_Dist>(dri::api::get_endpoint(xfer)->strip(strip));
    });
}

int DRI_xfer_get_strips(DRI_Xfer xfer, int64_t *n, int64_t *strip, int *dim, DRI_Gdo *whole) {
    return dri::api::guard("DRI_xfer_get_strips", [&] {
        if (whole)
            *whole = {};
        const auto endpoint = dri::api::get_endpoint(xfer);
        const dri::commit::Declaration &declared = endpoint->declaration();
        const int64_t all = dri::model::count_strips(declared.strips, *declared.dist);
        if (n)
            *n = all;
        if (strip) {
            const auto frame = dri::commit::frame_in_hand(*endpoint);
            *strip = frame ? *frame % all : -1;
        }
        if (dim)
            *dim = static_cast<int>(declared.strips.dim);
        if (whole)
            *whole = dri::api::make_handle<DRI_Gdo>(dri::model::whole_of(declared.strips, *declared.dist));
    });
}
}
