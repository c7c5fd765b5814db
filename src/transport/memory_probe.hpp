// Which processes of a node can open one another's memory. They are asked when the library starts, because
// containers and security settings may forbid it, and both ends of a pair must plan alike.
#pragma once

#include "transport/transport.hpp"

namespace dri {

// Of each rank the lowest rank with which it shares memory, and that of which it can read any memory
// (RemoteReader) and the reverse; itself where there is none.
struct NodeMemory {
    std::vector<int> shared, readable;
};

// nodes: as Transport::nodes(). willing: whether this process wants to. Collective over the world; O(log P) steps,
// and two messages each way between the lowest process of a node and each other one there.
NodeMemory find_shared_memory(Transport &transport, const std::vector<int> &nodes, bool willing, int tag,
                              Deadline deadline);

} // namespace dri
