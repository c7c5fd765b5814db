// A transport between threads of one process, with one thread per rank. It is meant for tests.
#pragma once

#include "transport/transport.hpp"

namespace dri::test {

// The transports of a world of `size` ranks, in order of ranks. Each may move to a thread of its own, and those of
// different ranks may be used at the same time. Set-up sends never wait. nodes: the result of Transport::nodes()
// on all ranks; empty: all ranks share one node.
std::vector<std::unique_ptr<transport::Transport>> make_loopback(int size, std::vector<int> nodes = {});

} // namespace dri::test
