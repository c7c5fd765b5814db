// The transport over MPI-3.1. It uses point-to-point messages on a communicator of its own.
#pragma once

#include "transport/transport.hpp"

#include <mpi.h>

namespace dri::transport {

// MPI counts bytes in an int. A set-up message is therefore sent in pieces of this many bytes, and a shorter last
// one.
constexpr int set_up_piece_bytes = 1 << 30;

// Collective over comm, which is duplicated and not used afterwards. MPI must be initialised. Below
// MPI_THREAD_MULTIPLE only one thread at a time may use the transport and its exchanges. piece_bytes: the same on
// all processes.
std::unique_ptr<Transport> make_mpi_transport(MPI_Comm comm, int piece_bytes = set_up_piece_bytes);

} // namespace dri::transport
