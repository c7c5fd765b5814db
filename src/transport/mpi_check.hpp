// What every call of MPI needs: a check of its code, and whether MPI may be called at all.
#pragma once

#include <mpi.h>

namespace dri::transport {

// Fails with DRI_ERR_TRANSPORT. The message consists of `tried` and MPI's own text for the code.
[[noreturn]] void fail_mpi(int code, const char *tried);

// Fails with DRI_ERR_TRANSPORT unless code is MPI_SUCCESS.
inline void check_mpi(int code, const char *tried) {
    if (code != MPI_SUCCESS) [[unlikely]]
        fail_mpi(code, tried);
}

// Whether MPI is initialised and not finalised, so that it may be called. Costs as much as a short message takes
// to be matched, so frames do not ask it: see MpiWorld::check_open().
bool mpi_runs();

} // namespace dri::transport
