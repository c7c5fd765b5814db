// With DRI_CHECK=1 each collective call compares what the processes call it with, also where a plan is known.
#pragma once

#include "base/common_settings.hpp"
#include "base/wire.hpp"

#include <functional>
#include <vector>

namespace dri::array {

inline bool compares_calls() { return common_settings.check; }

// Fails with DRI_ERR_MISMATCH on all processes unless all have the same digest, and as the first one whose steps
// fail. what: names the call's arguments. It waits as calls of set-up do, so a call that goes on after a timeout
// leaves it out. Collective over the processes.
void compare_calls(
    const std::vector<int> &ranks, const Digest &called_with, const char *what,
    const std::function<void()> &steps = [] {});

// What names a transfer, which is the same on all processes.
Digest digest_of_name(const std::string &name);

} // namespace dri::array
