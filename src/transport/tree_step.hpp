// One collective step: contents go up a binomial tree to its root, are combined on the way, and the result goes
// down the same tree. The tree knows the members in ascending order, so that members that disagree about the
// order of their group still talk to each other, and find out.
#pragma once

#include "transport/transport.hpp"

namespace dri {

enum class Operation : uint8_t { all_gather = 1, agree = 2 };

// Adds the content of the members that follow, in ascending order, to that of those before them.
using Combine = void (*)(Bytes &content, Bytes &&following);

// The combined content of all members, the same on all. Throws on failure of the step, see collective.hpp.
Bytes tree_step(Transport &transport, std::span<const int> members, int tag, Operation operation, Bytes mine,
                Combine combine, Deadline deadline);

} // namespace dri
