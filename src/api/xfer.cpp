// The calls of xfer.h: declaring endpoints, attributes, commit, buffers, explain and destroy.
#include "api/arrays.hpp"
#include "api/called.hpp"
#include "api/declaration.hpp"
#include "commit/endpoint.hpp"
#include "model/distribution.hpp"
#include "model/element_type.hpp"
#include "transport/transport.hpp"

#include <cmath>

namespace dri::api {

namespace {

void require_role(const commit::Endpoint &endpoint, commit::Role role, const char *what) {
    const commit::Declaration &d = endpoint.declaration();
    if (d.role != role)
        fail(DRI_ERR_ARG, "{} can be set only on a {}, but the handle is a {} of transfer '{}'", what,
             commit::role_name(role), commit::role_name(d.role), d.name);
}

} // namespace

} // namespace dri::api

extern "C" {

int DRI_xfer_create(const char *name, DRI_Role role, DRI_Dist dist, DRI_Layout layout, int nbuffs,
                    void *const buffs[], DRI_Xfer *xfer) {
    return dri::api::guard("DRI_xfer_create", [&] {
        DRI_Xfer &out = dri::api::null_handle(xfer, "xfer");
        const auto session = dri::api::session();
        out.id = dri::api::endpoint_handles.insert(
            session->declare(dri::api::get_declaration(name, role, dist, layout, nbuffs, buffs)));
    });
}

int DRI_xfer_set_attr(DRI_Xfer xfer, DRI_Attr attr, int64_t value) {
    return dri::api::guard("DRI_xfer_set_attr", [&] {
        const auto endpoint = dri::api::get_endpoint(xfer);
        const auto session = dri::api::session();
        // Only the value itself is checked here. Whether the attributes of several endpoints fit together is known
        // at DRI_commit.
        const dri::commit::AttributeRow &row = dri::commit::row_of(dri::api::number_of(attr));
        dri::commit::check_value(row, value, endpoint->declaration().dist->ndims());
        if (row.role)
            dri::api::require_role(*endpoint, *row.role, row.name);
        session->set_attributes(*endpoint,
                                [&](dri::commit::Attributes &attributes) { attributes.*row.member = value; });
    });
}

int DRI_xfer_set_scale(DRI_Xfer xfer, double scale) {
    return dri::api::guard("DRI_xfer_set_scale", [&] {
        const auto endpoint = dri::api::get_endpoint(xfer);
        dri::api::require_role(*endpoint, dri::commit::Role::sink, "a scale");
        const dri::model::ElementType &type = endpoint->declaration().dist->gdo().type;
        if (!std::isfinite(scale))
            dri::fail(DRI_ERR_ARG, "scale is {}, but must be finite", scale);
        // A scale of 1 changes nothing, so it is allowed for every type.
        if (scale != 1 && dri::model::is_record(type))
            dri::fail(DRI_ERR_ARG, "scale is {}, but elements of type {} cannot be multiplied", scale,
                      dri::model::to_text(type));
        dri::api::session()->set_attributes(
            *endpoint, [&](dri::commit::Attributes &attributes) { attributes.scale = scale; });
    });
}

int DRI_commit(DRI_Group scope) {
    return dri::api::guard("DRI_commit", [&] {
        const auto session = dri::api::session();
        session->commit(*dri::api::group_handles.get(scope.id));
    });
}

int DRI_xfer_get_buffer(DRI_Xfer xfer, void **buf) {
    return dri::api::guard("DRI_xfer_get_buffer", [&] {
        const auto endpoint = dri::api::get_endpoint(xfer);
        dri::api::require_pointer(buf, "buf");
        const dri::exec::EndpointState &state = endpoint->state();
        const bool source = endpoint->declaration().role == dri::commit::Role::source;
        const auto [frames, acquired, last, total] = dri::exec::progress(state);
        if (!source && frames == 0)
            dri::fail(DRI_ERR_STATE, "no frame of transfer '{}' has arrived yet", endpoint->declaration().name);
        if (source && frames == acquired)
            dri::fail(DRI_ERR_STATE,
                      "the source of transfer '{}' holds no buffer: all acquired buffers have been inserted",
                      endpoint->declaration().name);
        // The source's oldest acquired buffer, or the buffer of the last frame that arrived at the sink.
        *buf = state.buffer(source ? frames : frames - 1);
    });
}

int DRI_xfer_get_buffers(DRI_Xfer xfer, int *n, void *bufs[]) {
    return dri::api::guard("DRI_xfer_get_buffers", [&] {
        const auto endpoint = dri::api::get_endpoint(xfer);
        // state() fails before the commit, because the buffers do not exist until then.
        const dri::exec::EndpointState &state = endpoint->state();
        if (n)
            *n = static_cast<int>(state.buffers.size());
        if (bufs)
            std::copy(state.buffers.begin(), state.buffers.end(), bufs);
    });
}

int DRI_xfer_buffer_bytes(DRI_Xfer xfer, size_t *bytes) {
    return dri::api::guard("DRI_xfer_buffer_bytes", [&] {
        const auto endpoint = dri::api::get_endpoint(xfer);
        dri::api::require_pointer(bytes, "bytes");
        *bytes = static_cast<size_t>(endpoint->buffer_bytes());
    });
}

int DRI_xfer_explain(DRI_Xfer xfer, char *text, size_t n) {
    return dri::api::guard("DRI_xfer_explain",
                           [&] { dri::api::copy_text(dri::api::get_endpoint(xfer)->explain(), text, n); });
}

int DRI_xfer_destroy(DRI_Xfer *xfer) {
    return dri::api::guard("DRI_xfer_destroy", [&] {
        const auto session = dri::api::session();
        dri::api::require_pointer(xfer, "xfer");
        // If this fails, the handle stays valid, and the call can be repeated.
        session->destroy(dri::api::endpoint_handles.get(xfer->id));
        dri::api::endpoint_handles.erase(xfer->id);
        // Otherwise the lookup cache would still find the endpoint, and keep its transfer in memory.
        dri::api::forget_called();
        *xfer = {};
    });
}
}
