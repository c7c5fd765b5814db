// The transport over MPI-3.1, point to point on a communicator of its own.
#pragma once

#include "transport/transport.hpp"

#include <mpi.h>

namespace dri {

// MPI counts bytes in int: a set-up message travels in pieces of so many bytes and a shorter last one.
constexpr int set_up_piece_bytes = 1 << 30;

// Collective over comm, which is duplicated and not used afterwards. MPI must be initialised; below
// MPI_THREAD_MULTIPLE one thread at a time may use the transport and its exchanges. piece_bytes: the same on all.
std::unique_ptr<Transport> make_mpi_transport(MPI_Comm comm, int piece_bytes = set_up_piece_bytes);

} // namespace dri
