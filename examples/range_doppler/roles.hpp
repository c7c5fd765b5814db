#pragma once

#include <vector>

namespace radar {

// Which processes do what; one may have several roles.
struct Roles {
    std::vector<int> everyone, front, doppler;
    std::vector<int> tracker; // one
};

// front, doppler: how many processes of that role; 0: as many as suit. The last process is the tracker. Throws
// Failure(exit_usage), on all processes alike, where there are not so many.
Roles deal_roles(int processes, int front, int doppler);

} // namespace radar
