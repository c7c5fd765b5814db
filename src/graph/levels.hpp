// Levels of tasks that need each other: who may run together, and who waits for itself.
#pragma once

#include "graph/number_lists.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace dri::graph {

// What tasks need: task i needs `needs` at [first[i], first[i + 1]). Does not own the lists.
struct TaskNeeds {
    int64_t tasks = 0;
    const int64_t *first = nullptr, *needs = nullptr;

    std::span<const int64_t> of(int64_t task) const {
        return {needs + first[task], static_cast<size_t>(first[task + 1] - first[task])};
    }
};

// The same with lists of its own, built task by task.
struct TaskLists : NumberLists<int64_t> {
    TaskNeeds view() const { return {static_cast<int64_t>(size()), first.data(), all.data()}; }
};

struct LevelsFound {
    int64_t levels = 0;
    int64_t done = 0;   // tasks with a level; the others need themselves, through others or not
    int64_t visits = 0; // steps of the algorithm
};

// Sets the level of every task that has one, and -1 for the others. O(tasks + needs), without recursion. Tasks
// from `counted` on stand for what they need: they are on its level.
LevelsFound find_levels(const TaskNeeds &needs, int64_t level[],
                        int64_t counted = std::numeric_limits<int64_t>::max());

// The tasks that need themselves, directly or through others, in rising order.
std::vector<int64_t> tasks_in_cycles(const TaskNeeds &needs);

} // namespace dri::graph
