// The calls of dist.h about groups of processes.
#include "model/group.hpp"
#include "api/arrays.hpp"
#include "api/state.hpp"

#include <numeric>

namespace dri::api {

namespace {

uint64_t insert(model::Group group) {
    return group_handles.insert(std::make_shared<const model::Group>(std::move(group)));
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
        out.id = dri::api::insert(dri::model::make_group(ranks, session->size()));
    });
}

int DRI_group_create_world(DRI_Group *group) {
    return dri::api::guard("DRI_group_create_world", [&] {
        DRI_Group &out = dri::api::null_handle(group, "group");
        std::vector<int> ranks(static_cast<size_t>(dri::api::session()->size()));
        std::iota(ranks.begin(), ranks.end(), 0);
        out.id = dri::api::insert(dri::model::Group(std::move(ranks)));
    });
}

int DRI_group_get_size(DRI_Group group, int *nprocs, int *position) {
    return dri::api::guard("DRI_group_get_size", [&] {
        const auto session = dri::api::session();
        const auto object = dri::api::group_handles.get(group.id);
        if (nprocs)
            *nprocs = object->size();
        if (position)
            *position = object->position(session->rank()).value_or(-1);
    });
}

int DRI_group_destroy(DRI_Group *group) {
    return dri::api::guard("DRI_group_destroy", [&] {
        dri::api::session();
        dri::api::require_pointer(group, "group");
        dri::api::group_handles.erase(group->id);
        *group = {};
    });
}
}
