#include "roles.hpp"

#include "program.hpp"

#include <algorithm>
#include <string>

namespace sonar {

Roles deal_roles(int processes, int front, int broad, int narrow) {
    const int workers = std::max(processes - 1, 1); // with four processes or more the display has its own
    if (front == 0)
        front = std::max(1, workers / 2);
    if (broad == 0)
        broad = std::max(1, (workers - front + 1) / 2);
    if (narrow == 0)
        narrow = std::max(1, workers - front - broad);
    const int largest = std::max({front, broad, narrow});
    if (largest > processes)
        throw common::Failure(common::exit_usage, "a stage of " + std::to_string(largest) +
                                                      " processes needs as many processes; there are " +
                                                      std::to_string(processes));
    int next = 0;
    const auto take = [&](int count) {
        std::vector<int> ranks;
        for (; count > 0; --count)
            ranks.push_back(next++ % processes);
        return ranks;
    };
    Roles roles;
    roles.front = take(front);
    roles.broad = take(broad);
    roles.narrow = take(narrow);
    roles.display = {processes - 1};
    return roles;
}

} // namespace sonar
