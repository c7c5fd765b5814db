// The calls of xfer.h: declaring endpoints, attributes, commit, buffers, explain and destroy.
#include "api/arrays.hpp"
#include "api/called.hpp"
#include "api/declaration.hpp"
#include "commit/endpoint.hpp"
#include "model/distribution.hpp"
#include "model/element_type.hpp"
#include "transport/transport.hpp"

#include <cmath>
#include <limits>

namespace dri::api {

namespace {

// The public numbers of all enumerations are stored as they are.
static_assert(static_cast<int64_t>(DRI_WAY_SELF) == commit::way_self &&
              static_cast<int64_t>(DRI_WAY_MESSAGE) == commit::way_message &&
              static_cast<int64_t>(DRI_WAY_DIRECT) == commit::way_direct);

static_assert(int64_t{DRI_ESTIMATE} == 0 && int64_t{DRI_MEASURE} == 1);
static_assert(int64_t{DRI_HOLD} == 0 && int64_t{DRI_DROP} == 1);
static_assert(int64_t{DRI_OUT_OF_PLACE} == 0 && int64_t{DRI_IN_PLACE_COMPACT} == commit::in_place_compact);

void require_role(const commit::Endpoint &endpoint, commit::Role role, const char *what) {
    const commit::Declaration &d = endpoint.declaration();
    if (d.role != role)
        fail(DRI_ERR_ARG, "{} can be set only on a {}, but the handle is a {} of transfer '{}'", what,
             commit::role_name(role), commit::role_name(d.role), d.name);
}

// The member that holds an attribute. Fails with DRI_ERR_ARG if the value is out of range, or if endpoints of this
// role do not have the attribute.
int64_t commit::Attributes::*attribute_of(const commit::Endpoint &endpoint, int attr, int64_t value) {
    const auto require_range = [&](const char *what, int64_t low, int64_t high) {
        if (value < low || value > high)
            fail(DRI_ERR_ARG, "{} is {}, but must be {} to {}", what, value, low, high);
    };
    switch (attr) {
    case DRI_ATTR_WAYS:
        require_range("DRI_ATTR_WAYS", DRI_WAY_SELF, commit::all_ways);
        // Only messages connect any two processes. Without them, the placement on nodes would decide what works.
        if (!(value & DRI_WAY_MESSAGE))
            fail(DRI_ERR_ARG,
                 "DRI_ATTR_WAYS is {}, but must include DRI_WAY_MESSAGE: messages cannot be switched off", value);
        return &commit::Attributes::ways;
    case DRI_ATTR_MESSAGE_BYTES:
        require_range("DRI_ATTR_MESSAGE_BYTES", 1, transport::max_message_bytes);
        return &commit::Attributes::message_bytes;
    case DRI_ATTR_CONVERT:
        require_range("DRI_ATTR_CONVERT", 0, 1);
        require_role(endpoint, commit::Role::sink, "DRI_ATTR_CONVERT");
        return &commit::Attributes::convert;
    case DRI_ATTR_THREADS:
        require_range("DRI_ATTR_THREADS", 1, commit::max_threads);
        return &commit::Attributes::threads;
    case DRI_ATTR_SHARE_BYTES:
        require_range("DRI_ATTR_SHARE_BYTES", 1, int64_t{1} << 40);
        return &commit::Attributes::share_bytes;
    case DRI_ATTR_PLAN:
        require_range("DRI_ATTR_PLAN", DRI_ESTIMATE, DRI_MEASURE);
        return &commit::Attributes::measure;
    case DRI_ATTR_WORKSPACE_LIMIT:
        require_range("DRI_ATTR_WORKSPACE_LIMIT", 0, int64_t{1} << 62);
        return &commit::Attributes::workspace_limit;
    case DRI_ATTR_STREAM:
        require_range("DRI_ATTR_STREAM", 0, 1);
        require_role(endpoint, commit::Role::source, "DRI_ATTR_STREAM");
        return &commit::Attributes::stream;
    case DRI_ATTR_ON_FULL:
        require_range("DRI_ATTR_ON_FULL", DRI_HOLD, DRI_DROP);
        require_role(endpoint, commit::Role::sink, "DRI_ATTR_ON_FULL");
        return &commit::Attributes::drop;
    case DRI_ATTR_TIMEOUT_MS:
        require_range("DRI_ATTR_TIMEOUT_MS", 0, std::numeric_limits<int32_t>::max());
        return &commit::Attributes::timeout_ms;
    case DRI_ATTR_IN_PLACE:
        require_range("DRI_ATTR_IN_PLACE", DRI_OUT_OF_PLACE, DRI_IN_PLACE_COMPACT);
        return &commit::Attributes::in_place;
    case DRI_ATTR_REBASE:
        require_range("DRI_ATTR_REBASE", 0, (int64_t{1} << endpoint.declaration().dist->ndims()) - 1);
        return &commit::Attributes::rebase;
    case DRI_ATTR_PROGRESS_THREAD:
        require_range("DRI_ATTR_PROGRESS_THREAD", 0, 1);
        return &commit::Attributes::progress_thread;
    default: fail(DRI_ERR_ARG, "attribute {} is unknown", attr);
    }
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
        int64_t dri::commit::Attributes::*const attribute =
            dri::api::attribute_of(*endpoint, dri::api::number_of(attr), value);
        session->set_attributes(*endpoint,
                                [&](dri::commit::Attributes &attributes) { attributes.*attribute = value; });
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
