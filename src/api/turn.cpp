// The calls of turn.h: transfers that are declared and committed in one call.
#include "api/declaration.hpp"
#include "api/generation.hpp"
#include "api/state.hpp"
#include "commit/endpoint.hpp"
#include "commit/whole_transfer.hpp"
#include "model/distribution.hpp"
#include "model/gdo.hpp"
#include "model/request.hpp"

#include <dri/turn.h>

namespace dri::api {

namespace {

// The array in balanced blocks along one dimension.
model::Request cut_along(DRI_Gdo gdo, int dim, const char *what, const model::Group &group) {
    const auto object = get(gdo);
    const size_t ndims = object->ndims();
    if (dim < 0 || static_cast<size_t>(dim) >= ndims)
        fail(DRI_ERR_ARG, "{} is {}, but the array has {} dimensions, counted from 0", what, dim, ndims);
    model::Partition partition(ndims);
    partition[static_cast<size_t>(dim)].kind = model::CutKind::block;
    return {*object, std::move(partition), group};
}

} // namespace

} // namespace dri::api

extern "C" {

int DRI_turn_create(const char *name, DRI_Gdo gdo, DRI_Group group, int from_dim, int to_dim,
                    DRI_Layout sink_layout, int nbuffs, DRI_Xfer *source, DRI_Xfer *sink) {
    return dri::api::guard("DRI_turn_create", [&] {
        for (DRI_Xfer *const xfer : {source, sink})
            if (xfer)
                *xfer = {};
        const auto session = dri::api::session();
        const auto members = dri::api::get(group);
        const auto from = [&] {
            dri::api::require_pointer(source, "source");
            dri::api::require_pointer(sink, "sink");
            return dri::api::cut_along(gdo, from_dim, "from_dim", *members);
        };
        const auto to = [&] { return dri::api::cut_along(gdo, to_dim, "to_dim", *members); };
        const auto declare = [&](const auto &dists, const auto &make) {
            make(dri::api::get_declaration(name, DRI_SOURCE, dists[0], DRI_ROW_MAJOR, nbuffs, nullptr));
            make(dri::api::get_declaration(name, DRI_SINK, dists[1], sink_layout, nbuffs, nullptr));
        };
        const auto made = session->create(*members, "DRI_turn_create", {{from, to}, declare});
        *source = dri::api::make_handle<DRI_Xfer>(made[0]);
        *sink = dri::api::make_handle<DRI_Xfer>(made[1]);
        dri::api::start_generation();
    });
}

int DRI_halo_create(const char *name, DRI_Dist dist, int nbuffs, DRI_Xfer *halo) {
    return dri::api::guard("DRI_halo_create", [&] {
        if (halo)
            *halo = {};
        const auto session = dri::api::session();
        const auto object = dri::api::get(dist);
        const auto declare = [&](const auto &, const auto &make) {
            dri::api::require_pointer(halo, "halo");
            const auto in_place = [&](DRI_Role role) {
                auto declaration = dri::api::get_declaration(name, role, object, DRI_ROW_MAJOR, nbuffs, nullptr);
                declaration.attributes.in_place = DRI_IN_PLACE;
                return declaration;
            };
            dri::commit::Declaration source = in_place(DRI_SOURCE);
            source.companion = make(in_place(DRI_SINK));
            make(std::move(source));
        };
        const auto made = session->create(object->group(), "DRI_halo_create", {{}, declare});
        *halo = dri::api::make_handle<DRI_Xfer>(made[1]);
        dri::api::start_generation();
    });
}
}
