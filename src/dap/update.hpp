// Objects for the transfer that fills the padding of an array.
#pragma once

#include "dap/agreement.hpp"
#include "outer/owned.hpp"

namespace dri::dap {

// The distribution whose overlap is the padding, over the processes with the caller's coordinates along all cyclic
// and unstructured dimensions. Collective over the group.
void make_update(const Processes &processes, const std::vector<Member> &members, DRI_Type type,
                 outer::OwnedDist &dist);

} // namespace dri::dap
