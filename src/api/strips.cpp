// The calls of strips.h: endpoints whose frames are strips.
#include "api/declaration.hpp"
#include "api/guard.hpp"
#include "model/tiling.hpp"

#include <dri/strips.h>

extern "C" {

int DRI_xfer_create_strips(const char *name, DRI_Role role, DRI_Gdo whole, int dim, DRI_Dist strip,
                           DRI_Layout layout, int nbuffs, void *const buffs[], DRI_Xfer *xfer) {
    return dri::guard("DRI_xfer_create_strips", [&] {
        DRI_Xfer &out = dri::null_handle(xfer, "xfer");
        const auto session = dri::session();
        dri::Declaration declaration = dri::get_declaration(name, role, strip, layout, nbuffs, buffs);
        if (declaration.role == dri::Role::sink && buffs)
            dri::fail(DRI_ERR_ARG, "buffs must be NULL for a sink of strips: the library reserves its stores");
        declaration.strips = dri::make_strips(*dri::gdo_handles.get(whole.id), dim, *declaration.dist);
        // The last strip may be shorter than the others, so a source is checked with it as well.
        const int64_t last = dri::count_strips(declaration.strips, *declaration.dist) - 1;
        const auto last_dist = dri::strip_of(declaration.dist, declaration.strips, last);
        if (declaration.role == dri::Role::source)
            dri::check_source(*last_dist);
        out.id = dri::endpoint_handles.insert(session->declare(std::move(declaration)));
    });
}

int DRI_xfer_get_strip(DRI_Xfer xfer, int64_t strip, DRI_Dist *dist) {
    return dri::guard("DRI_xfer_get_strip", [&] {
        DRI_Dist &out = dri::null_handle(dist, "dist");
        out.id = dri::dist_handles.insert(dri::get_endpoint(xfer)->strip(strip));
    });
}
}
