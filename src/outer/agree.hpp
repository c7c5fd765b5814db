// Collective calls that fail on all processes alike.
#pragma once

#include "base/wire.hpp"

#include <dri/group.h>

#include <functional>
#include <string>
#include <vector>

namespace dri::outer {

// Processes that agree: a group, with its ranks of the world in order.
struct Partners {
    DRI_Group group;
    std::vector<int> ranks;
};

// The ranks of a group, in order. Local.
std::vector<int> ranks_of(DRI_Group group);

// Runs the steps on every process of the scope. If they fail on any, all fail as the first of them in the scope's
// order. Then all must have the same digest of what they were called with, otherwise DRI_ERR_MISMATCH. what: names
// the call's arguments in that message. Collective over the scope; the steps are local.
// Returns a name for a transfer over the scope. All get the same one, which none of them has had.
std::string agree(const Partners &scope, const Digest &called_with, const char *what,
                  const std::function<void()> &steps);

} // namespace dri::outer
