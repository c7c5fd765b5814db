// The halves of a frame.
#include "api/state.hpp"
#include "api/xfer.hpp"

#include <dri/stream.h>

namespace dri {

namespace {

// Of the source, or of a sink, alone.
std::shared_ptr<Endpoint> get_end_of(DRI_Xfer xfer, Role role, const char *call) {
    auto end = get_end(xfer);
    const Declaration &d = end->declaration();
    if (d.role != role)
        fail(DRI_ERR_ARG, "{} is for a {}, but this is a {} of transfer '{}'", call, role_name(role),
             role_name(d.role), d.name);
    return end;
}

} // namespace

CalledEnds get_called(const char *name, DRI_Xfer xfer) {
    if (xfer.id == 0) {
        const auto session = dri::session();
        require_pointer(name, "name");
        auto transfer = session->find(name);
        const EndSet ends = transfer->all_ends();
        return {std::move(transfer), ends};
    }
    const auto end = get_end(xfer);
    if (name && end->declaration().name != name)
        fail(DRI_ERR_ARG, "the handle is an end of transfer '{}', not of '{}'", end->declaration().name, name);
    return {end->transfer(), end->ends()};
}

} // namespace dri

extern "C" {

int DRI_do(const char *name, DRI_Xfer xfer) {
    return dri::guard("DRI_do", [&] {
        const auto [transfer, ends] = dri::get_called(name, xfer);
        transfer->execute(ends);
    });
}

int DRI_start(const char *name, DRI_Xfer xfer) {
    return dri::guard("DRI_start", [&] {
        const auto [transfer, ends] = dri::get_called(name, xfer);
        transfer->start(ends);
    });
}

int DRI_test(const char *name, DRI_Xfer xfer, int *done) {
    return dri::guard("DRI_test", [&] {
        const auto [transfer, ends] = dri::get_called(name, xfer);
        dri::require_pointer(done, "done");
        *done = 0;
        *done = transfer->test(ends) ? 1 : 0;
    });
}

int DRI_wait(const char *name, DRI_Xfer xfer) {
    return dri::guard("DRI_wait", [&] {
        const auto [transfer, ends] = dri::get_called(name, xfer);
        transfer->wait(ends);
    });
}

int DRI_acquire(DRI_Xfer xfer, void **buf) {
    return dri::guard("DRI_acquire", [&] {
        const auto end = dri::get_end_of(xfer, dri::Role::source, "DRI_acquire");
        void *const buffer = end->transfer()->acquire();
        if (buf)
            *buf = buffer;
    });
}

int DRI_insert(DRI_Xfer xfer) {
    return dri::guard("DRI_insert",
                      [&] { dri::get_end_of(xfer, dri::Role::source, "DRI_insert")->transfer()->insert(); });
}

int DRI_extract(DRI_Xfer xfer, void **buf) {
    return dri::guard("DRI_extract", [&] {
        const auto end = dri::get_end_of(xfer, dri::Role::sink, "DRI_extract");
        void *const buffer = end->transfer()->extract(end->flow());
        if (buf)
            *buf = buffer;
    });
}

int DRI_release(DRI_Xfer xfer) {
    return dri::guard("DRI_release", [&] {
        const auto end = dri::get_end_of(xfer, dri::Role::sink, "DRI_release");
        end->transfer()->release(end->flow());
    });
}

int DRI_progress(void) {
    return dri::guard("DRI_progress", [] { dri::session()->progress(); });
}
}
