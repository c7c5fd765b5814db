// The transport over MPI-3.1, point to point on a communicator of its own.
#pragma once

#include "transport/transport.hpp"

#include <mpi.h>

namespace dri {

// Collective over comm, which is duplicated and not used afterwards. MPI must be initialised; below
// MPI_THREAD_MULTIPLE one thread at a time may use the transport and its exchanges.
std::unique_ptr<Transport> make_mpi_transport(MPI_Comm comm);

} // namespace dri
