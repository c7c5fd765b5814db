#pragma once

#include <vector>

namespace radar {

// The processes of each role; a process may have several roles.
struct Roles {
    std::vector<int> everyone, front, doppler;
    std::vector<int> tracker; // one
};

// front, doppler: number of processes of that role; 0: chosen here. The last process is the tracker. Throws
// Failure(exit_usage) on all processes if there are not enough processes.
Roles deal_roles(int processes, int front, int doppler);

} // namespace radar
