// Turns codes of MPI into errors, and asks MPI for its state.
#include "transport/mpi_check.hpp"

#include "base/error.hpp"

namespace dri::transport {

void fail_mpi(int code, const char *tried) {
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, text, &length);
    fail(DRI_ERR_TRANSPORT, "{} failed: {}", tried, text);
}

bool mpi_runs() {
    int started = 0, ended = 0;
    MPI_Initialized(&started);
    MPI_Finalized(&ended);
    return started && !ended;
}

} // namespace dri::transport
