// Reads a control variable of Open MPI through MPI's tool interface.
#include "transport/mpi_idle.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>

namespace dri::transport {

namespace {

// The value of a control variable that is one number or truth value. False if the MPI does not have it.
bool reads_as_set(const char *name) {
    int index = 0, count = 0;
    MPI_T_cvar_handle handle;
    if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS ||
        MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) != MPI_SUCCESS)
        return false;
    alignas(8) std::array<char, 64> value{};
    const bool fits = count == 1 && MPI_T_cvar_read(handle, value.data()) == MPI_SUCCESS;
    MPI_T_cvar_handle_free(&handle);
    return fits && std::any_of(value.begin(), value.end(), [](char byte) { return byte != 0; });
}

} // namespace

// Open MPI 4 takes the level that MPI_T_init_thread asks for as that of MPI itself, too.
bool mpi_yields_when_idle() {
    int level = 0;
    if (MPI_Query_thread(&level) != MPI_SUCCESS || MPI_T_init_thread(level, &level) != MPI_SUCCESS)
        return false;
    const bool yields = reads_as_set("mpi_yield_when_idle");
    MPI_T_finalize();
    return yields;
}

} // namespace dri::transport
