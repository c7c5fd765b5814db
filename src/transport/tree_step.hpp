// One collective step: contents go up a binomial tree to its root, are combined on the way, and the result goes
// down the same tree. The tree knows the members in ascending order, so that members that disagree about the
// order of their group still talk to each other, and find out.
#pragma once

#include "transport/transport.hpp"

namespace dri {

enum class Operation : uint8_t { all_gather = 1, agree = 2, meet = 3, decide = 4, shorten = 5, weigh = 6 };

// Adds the content of the members that follow, in ascending order, to that of those before them.
using Combine = void (*)(Bytes &content, Bytes &&following);

// Makes a member's answer out of that of one before it, and the combined content of the members from that one on
// that come before the member.
using Downsweep = Bytes (*)(const Bytes &answer, const Bytes &before);

// The combined content of all members: the same on all without a share, else what that makes of it, beginning with
// the first member. Throws on failure of the step, see collective.hpp.
Bytes tree_step(Transport &transport, std::span<const int> members, int tag, Operation operation, Bytes mine,
                Combine combine, Deadline deadline, Downsweep downsweep = nullptr);

} // namespace dri
