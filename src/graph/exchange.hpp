// What processes tell each other about their graphs.
#pragma once

#include "outer/agree.hpp"

#include <functional>

namespace dri::graph {

// The group with its ranks. Fails with DRI_ERR_ARG if the calling process is not in it, and with DRI_ERR_HANDLE.
outer::Partners partners_of(DRI_Group group);

// Gives every process what all bring, in the group's order. If `bring` fails on any process, all fail with the
// code and message of the first one in that order. Collective over the group.
std::vector<Bytes> exchange(const outer::Partners &scope, const std::function<Bytes()> &bring);

} // namespace dri::graph
