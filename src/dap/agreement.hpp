// What the processes of a group tell each other about their descriptions.
#pragma once

#include "dap/group_rules.hpp"

#include <dri/group.h>

#include <functional>
#include <vector>

namespace dri::dap {

// The processes of the group in its order, and the caller's position.
struct Processes {
    DRI_Group group{};
    std::vector<int> ranks;
    int position = 0;
};
// Fails with DRI_ERR_ARG if the calling process is not in the group.
Processes read_group(DRI_Group group);

// Why this process cannot go on.
struct Objection {
    DRI_Code code;
    DRI_Dap_fault fault; // the message alone if its rule is DRI_DAP_VALID
};
// The objection that the steps throw, or nothing.
std::optional<Objection> objection_of(const std::function<void()> &steps);

// What each process brings to an exchange.
using Exchanged = std::vector<Bytes>;

// Gives all processes what each brings, in the group's order. If any objects, all fail alike, and the fault is
// stored in `fault` if that is not NULL. most: bytes that a process brings at most, or -1 if only the process
// itself knows: that costs a second exchange. Collective over the group.
Exchanged exchange(const Processes &processes, const std::optional<Objection> &objection, const Bytes &mine,
                   int64_t most, DRI_Dap_fault *fault = nullptr);

// Checks the caller's description and its arguments. Then all processes learn the members of the array. Rules
// between them are checked. If a process objects, all fail alike. A fault is stored in `fault` if that is not
// NULL. number: must be equal on all processes. Lists of indices do not come back. Collective over the group.
std::vector<Member> agree(const Processes &processes, const DRI_Dap *mine, int32_t number,
                          const std::function<void(const DRI_Dap &)> &check_arguments, DRI_Dap_fault *fault);

} // namespace dri::dap
