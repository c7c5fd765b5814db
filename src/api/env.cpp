// The calls of env.h that need no MPI.
#include "api/guard.hpp"
#include "api/state.hpp"

extern "C" {

// Needs no session: it reports 0 before DRI_init, after DRI_finalize and in a forked child.
int DRI_initialized(int *flag) {
    return dri::guard("DRI_initialized", [&] {
        dri::require_pointer(flag, "flag");
        *flag = dri::session_runs() ? 1 : 0;
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
    return dri::guard("DRI_world_size", [&] {
        const auto session = dri::session();
        dri::require_pointer(size, "size");
        *size = session->size();
    });
}

int DRI_world_rank(int *rank) {
    return dri::guard("DRI_world_rank", [&] {
        const auto session = dri::session();
        dri::require_pointer(rank, "rank");
        *rank = session->rank();
    });
}
}
