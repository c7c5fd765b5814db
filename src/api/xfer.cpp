// The calls of xfer.h: declaring endpoints, attributes, commit, query, whole frames, buffers and destroy.
#include "api/arrays.hpp"
#include "api/declaration.hpp"
#include "api/generation.hpp"
#include "api/lookup.hpp"
#include "api/state.hpp"
#include "commit/buffer_view.hpp"
#include "commit/endpoint.hpp"
#include "exec/parting.hpp"
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

// Arguments of collective calls. They are checked inside the collective step, so that a wrong one fails on all
// processes.
std::vector<std::shared_ptr<commit::Endpoint>> get_all(int n, const DRI_Xfer xfers[]) {
    if (n < 0)
        fail(DRI_ERR_ARG, "n is {}, but must be at least 0", n);
    std::vector<std::shared_ptr<commit::Endpoint>> endpoints;
    for (const DRI_Xfer xfer : checked_array(xfers, static_cast<size_t>(n), "xfers"))
        endpoints.push_back(get(xfer));
    return endpoints;
}

// If this fails, the handle stays valid, and the call can be repeated.
void end(DRI_Xfer *xfer, exec::Parting parting) {
    const auto running = session();
    require_pointer(xfer, "xfer");
    running->destroy(get(*xfer), parting);
    table_of<DRI_Xfer>(handle_tables()).erase(*xfer);
    *xfer = {};
    start_generation(); // last, so that no other thread finds the handle and remembers it after this
}

DRI_Memory to_public(const commit::Session::Answer &answer) {
    DRI_Memory out{};
    out.workspace_bytes = answer.memory.workspace();
    out.message_bytes = answer.memory.messages;
    out.copy_bytes = answer.memory.copies;
    out.tile_bytes = answer.memory.tiles;
    out.buffer_bytes = answer.memory.buffers;
    out.least_bytes = answer.least_bytes;
    out.plan_bytes = answer.plan_bytes;
    return out;
}

DRI_Xfer_description to_public(const commit::Declaration &declared) {
    DRI_Xfer_description out{};
    std::copy(declared.name.begin(), declared.name.end(), out.name); // a name is shorter than the array
    out.role = declared.role == commit::Role::source ? DRI_SOURCE : DRI_SINK;
    out.nbuffs = static_cast<int>(declared.num_buffers());
    out.buffs = declared.buffers.data();
    out.is_halo = declared.companion ? 1 : 0;
    return out;
}

} // namespace

} // namespace dri::api

extern "C" {

const DRI_Xfer DRI_XFER_NULL = {0};

int DRI_xfer_create(const char *name, DRI_Role role, DRI_Dist dist, DRI_Layout layout, int nbuffs,
                    void *const buffs[], DRI_Xfer *xfer) {
    return dri::api::guard("DRI_xfer_create", [&] {
        DRI_Xfer &out = dri::api::null_handle(xfer, "xfer");
        dri::api::session();
        out = dri::api::declare(dri::api::get_declaration(name, role, dri::api::get(dist), layout, nbuffs, buffs));
    });
}

int DRI_xfer_set_attr(DRI_Xfer xfer, DRI_Attr attr, int64_t value) {
    return dri::api::guard("DRI_xfer_set_attr", [&] {
        const auto endpoint = dri::api::get_endpoint(xfer);
        const auto session = dri::api::session();
        // Only the value itself is checked here. Whether the attributes of several endpoints fit together is known
        // at DRI_commit.
        const dri::commit::AttributeRow &row = dri::commit::row_of(dri::number_of(attr));
        dri::commit::check_value(row, value, endpoint->declaration().dist->ndims());
        if (row.role)
            dri::api::require_role(*endpoint, *row.role, row.name);
        if (attr == DRI_ATTR_TIMEOUT_MS && endpoint->committed())
            return endpoint->set_timeout(value);
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
        session->commit(*dri::api::get(scope));
        dri::api::start_generation();
    });
}

int DRI_commit_ends(DRI_Group scope, int n, const DRI_Xfer xfers[]) {
    return dri::api::guard("DRI_commit_ends", [&] {
        const auto session = dri::api::session();
        session->commit(*dri::api::get(scope), "DRI_commit_ends", [&] { return dri::api::get_all(n, xfers); });
        dri::api::start_generation();
    });
}

int DRI_xfer_query(DRI_Group scope, int n, const DRI_Xfer xfers[], DRI_Memory memory[]) {
    return dri::api::guard("DRI_xfer_query", [&] {
        if (n > 0 && memory)
            std::fill_n(memory, n, DRI_Memory{});
        const auto session = dri::api::session();
        const auto answers = session->query(*dri::api::get(scope), [&] {
            dri::api::checked_array(memory, static_cast<size_t>(std::max(n, 0)), "memory");
            return dri::api::get_all(n, xfers);
        });
        std::transform(answers.begin(), answers.end(), memory,
                       [](const dri::commit::Session::Answer &one) { return dri::api::to_public(one); });
    });
}

// See stream.cpp for calls of several threads.
int DRI_do(const char *name, DRI_Xfer xfer) {
    return dri::api::guard("DRI_do", [&] { dri::api::get_called(name, xfer).execute(); });
}

int DRI_xfer_get_buffer(DRI_Xfer xfer, void **buf) {
    return dri::api::guard("DRI_xfer_get_buffer", [&] {
        const auto endpoint = dri::api::get_endpoint(xfer);
        dri::api::require_pointer(buf, "buf");
        *buf = dri::commit::current_buffer(*endpoint);
    });
}

int DRI_xfer_get_buffers(DRI_Xfer xfer, int *n, void *bufs[]) {
    return dri::api::guard("DRI_xfer_get_buffers", [&] {
        const auto endpoint = dri::api::get_endpoint(xfer);
        // Fails before the commit, because the buffers do not exist until then.
        const size_t buffers = dri::commit::copy_buffers(*endpoint, bufs);
        if (n)
            *n = static_cast<int>(buffers);
    });
}

int DRI_xfer_buffer_bytes(DRI_Xfer xfer, size_t *bytes) {
    return dri::api::guard("DRI_xfer_buffer_bytes", [&] {
        const auto endpoint = dri::api::get_endpoint(xfer);
        dri::api::require_pointer(bytes, "bytes");
        *bytes = static_cast<size_t>(endpoint->buffer_bytes());
    });
}

int DRI_xfer_get_description(DRI_Xfer xfer, DRI_Xfer_description *description, DRI_Dist *dist,
                             DRI_Layout *layout) {
    return dri::api::guard("DRI_xfer_get_description", [&] {
        if (dist)
            *dist = {};
        if (layout)
            *layout = {};
        const auto endpoint = dri::api::get_endpoint(xfer);
        const dri::commit::Declaration &declared = endpoint->declaration();
        // Both handles are set at the end, so that they are null if one of them cannot be made.
        const DRI_Layout layout_made = layout ? dri::api::layout_handle(declared.layout) : DRI_Layout{};
        if (dist)
            *dist = dri::api::make_handle<DRI_Dist>(declared.dist);
        if (layout)
            *layout = layout_made;
        if (description)
            *description = dri::api::to_public(declared);
    });
}

int DRI_xfer_destroy(DRI_Xfer *xfer) {
    return dri::api::guard("DRI_xfer_destroy", [&] { dri::api::end(xfer, dri::exec::Parting::waits); });
}

int DRI_xfer_abandon(DRI_Xfer *xfer) {
    return dri::api::guard("DRI_xfer_abandon", [&] { dri::api::end(xfer, dri::exec::Parting::takes_back); });
}
}
