#pragma once

#include <vector>

namespace sonar {

// Which processes do what; one may have several roles.
struct Roles {
    std::vector<int> front, broad, narrow;
    std::vector<int> display; // one
};

// front, broad, narrow: how many processes of that role; 0: as many as suit. Each role has the processes behind
// those of the role before, from the first one again where there are no more. The display is the last process.
// Throws Failure(exit_usage), on all processes alike, where there are not so many.
Roles deal_roles(int processes, int front, int broad, int narrow);

} // namespace sonar
