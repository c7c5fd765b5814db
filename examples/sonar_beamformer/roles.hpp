#pragma once

#include <vector>

namespace sonar {

// The processes of each role; a process may have several roles.
struct Roles {
    std::vector<int> front, broad, narrow;
    std::vector<int> display; // one
};

// front, broad, narrow: number of processes of that role; 0: chosen here. Each role takes the processes that
// follow those of the role before, and starts again at the first process if there are no more. The display is the
// last process. Throws Failure(exit_usage) on all processes if there are not enough processes.
Roles deal_roles(int processes, int front, int broad, int narrow);

} // namespace sonar
