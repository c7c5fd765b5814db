// The transport over MPI-3.1. It uses point-to-point messages on a communicator of its own.
#pragma once

#include "transport/transport.hpp"

#include <mpi.h>

#include <chrono>

namespace dri::transport {

// MPI counts bytes in an int. A set-up message is therefore sent in pieces of this many bytes, and a shorter last
// one.
constexpr int set_up_piece_bytes = 1 << 30;

// The sender starts all pieces of a message at once. If one of them is here, the next one must follow soon.
constexpr std::chrono::milliseconds longest_wait_for_piece{60'000};

// Collective over comm, which is duplicated and not used afterwards. MPI must be initialised. Below
// MPI_THREAD_MULTIPLE only one thread at a time may use the transport and its exchanges. piece_bytes: the same on
// all processes. wait_for_piece: for each piece of a message but the first.
std::unique_ptr<Transport> make_mpi_transport(MPI_Comm comm, int piece_bytes = set_up_piece_bytes,
                                              std::chrono::milliseconds wait_for_piece = longest_wait_for_piece);

} // namespace dri::transport
