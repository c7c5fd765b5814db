#include "roles.hpp"

#include "program.hpp"

#include <algorithm>
#include <numeric>
#include <string>

namespace radar {
namespace {

std::vector<int> ranks(int first, int count) {
    std::vector<int> list(static_cast<std::size_t>(count));
    std::iota(list.begin(), list.end(), first);
    return list;
}

} // namespace

Roles deal_roles(int processes, int front, int doppler) {
    const int workers = std::max(processes - 1, 1); // with three processes or more the tracker has its own
    if (front == 0)
        front = doppler == 0 ? (workers + 1) / 2 : std::max(1, workers - doppler);
    if (doppler == 0)
        doppler = std::max(1, workers - front);
    if (std::max(front, doppler) > processes)
        throw common::Failure(common::exit_usage, "a stage of " + std::to_string(std::max(front, doppler)) +
                                                      " processes needs as many processes; there are " +
                                                      std::to_string(processes));
    const int doppler_end = front + doppler < processes ? processes - 1 : processes;
    return {.everyone = ranks(0, processes),
            .front = ranks(0, front),
            .doppler = ranks(doppler_end - doppler, doppler),
            .tracker = {processes - 1}};
}

} // namespace radar
