// The calls of env.h: starting and ending the library, and the world that it works in.
#include "api/start.hpp"
#include "api/state.hpp"

extern "C" {

int DRI_init(int *argc, char ***argv) {
    return dri::api::start_or_finish("DRI_init", [&] { dri::api::start(argc, argv); });
}

int DRI_init_fcomm(int comm) {
    return dri::api::start_or_finish("DRI_init_fcomm", [&] { dri::api::start_on_fortran_comm(comm); });
}

int DRI_finalize(void) { return dri::api::start_or_finish("DRI_finalize", dri::api::finish); }

// Needs no session: it reports 0 before DRI_init, after DRI_finalize and in a forked child.
int DRI_initialized(int *flag) {
    return dri::api::guard("DRI_initialized", [&] {
        dri::api::require_pointer(flag, "flag");
        *flag = dri::api::session_runs() ? 1 : 0;
    });
}

// Cannot fail, so it needs no guard. Each number may be left out.
int DRI_version(int *major, int *minor, int *patch) {
    if (major)
        *major = DRI_VERSION_MAJOR;
    if (minor)
        *minor = DRI_VERSION_MINOR;
    if (patch)
        *patch = DRI_VERSION_PATCH;
    return DRI_SUCCESS;
}

int DRI_world_size(int *size) {
    return dri::api::guard("DRI_world_size", [&] {
        const auto session = dri::api::session();
        dri::api::require_pointer(size, "size");
        *size = session->size();
    });
}

int DRI_world_rank(int *rank) {
    return dri::api::guard("DRI_world_rank", [&] {
        const auto session = dri::api::session();
        dri::api::require_pointer(rank, "rank");
        *rank = session->rank();
    });
}
}
