// A transport between threads of one process, one thread per rank, for tests.
#pragma once

#include "transport/transport.hpp"

namespace dri {

// The transports of a world of `size` ranks, in order. Each may move to a thread of its own; those of
// different ranks may be used at the same time. Set-up sends never wait. nodes: what each rank is told of them;
// empty: all share one.
std::vector<std::unique_ptr<Transport>> make_loopback(int size, std::vector<int> nodes = {});

} // namespace dri
