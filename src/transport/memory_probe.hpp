// Which processes of a node can open one another's memory. They are asked when the library starts, because
// containers and security settings may forbid it, and both ends of a pair must plan alike.
#pragma once

#include "transport/transport.hpp"

namespace dri {

// For each rank the lowest rank that it shares memory with, itself where there is none. nodes: as
// Transport::nodes(). willing: whether this process wants to. Collective over the world; O(log P) steps, and two
// messages each way between the lowest process of a node and each other one there.
std::vector<int> find_shared_memory(Transport &transport, const std::vector<int> &nodes, bool willing, int tag,
                                    Deadline deadline);

} // namespace dri
