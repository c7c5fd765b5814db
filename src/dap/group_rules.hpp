// The rules between the processes of an array.
#pragma once

#include "base/wire.hpp"
#include "dap/dimension.hpp"

#include <array>
#include <optional>
#include <vector>

namespace dri::dap {

// What the other processes know of one process.
struct Member {
    int32_t name = 0; // of the process in messages
    int32_t ndims = 0;
    int64_t itemsize = 0; // bytes
    std::array<Dimension, DRI_MAX_DIMS> dims;
    std::array<Digest, DRI_MAX_DIMS> lists{};          // digest of each list of indices
    std::array<int64_t, DRI_MAX_DIMS> least{}, most{}; // smallest and largest index of each list
};

// dap: keeps to the rules of one description. Its lists must stay.
Member make_member(const DRI_Dap &dap, int name);

// The fault of the smallest rule. members: in the order of the process grid; where one_to_one is set, with lists.
std::optional<DRI_Dap_fault> group_fault(const std::vector<Member> &members);

} // namespace dri::dap
