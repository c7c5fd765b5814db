// Which processes of a node can open each other's memory. This is tried out when the library starts, because
// containers and security settings may forbid it. Both processes of a pair must know the same result, or they
// would plan differently.
#pragma once

#include "transport/transport.hpp"
#include "transport/wait_board.hpp"

#include <string_view>

namespace dri::transport {

// For each rank the lowest rank of its node with which it works in both directions, or the rank itself if there is
// none. shared: they can map each other's shared memory. readable: they can also read any memory of each other
// (RemoteReader).
struct NodeMemory {
    std::vector<int> shared, readable;
    WaitBoard board; // of the processes that share memory with this one
};

// nodes: as Transport::nodes() returns them. willing: whether this process is to share memory at all. call: the
// call of the program, for errors. Collective over the world. Cost: O(log P) steps. Besides, the lowest process of
// a node sends two messages to each other process there, and receives one from it.
NodeMemory find_shared_memory(Transport &transport, const std::vector<int> &nodes, bool willing,
                              std::string_view call, Deadline deadline);

} // namespace dri::transport
