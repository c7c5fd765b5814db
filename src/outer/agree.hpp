// Collective calls that fail on all processes alike.
#pragma once

#include "base/wire.hpp"

#include <dri/group.h>

#include <functional>
#include <vector>

namespace dri::outer {

// Processes that agree: a group, with its ranks of the world in order.
struct Partners {
    DRI_Group group;
    std::vector<int> ranks;
};

// Runs the steps on every process of the scope. If they fail on any, all fail as the first of them in the scope's
// order. Then all must have the same digest of what they were called with, otherwise DRI_ERR_MISMATCH. what: names
// the call's arguments in that message. Collective over the scope; the steps are local.
void agree(const Partners &scope, const Digest &called_with, const char *what, const std::function<void()> &steps);

// A name for a transfer that the library commits over these processes. All of them count alike.
std::string next_name(const std::vector<int> &ranks);

} // namespace dri::outer
