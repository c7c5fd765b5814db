// Levels of tasks that need each other: who may run together, and who waits for itself.
#pragma once

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
class TaskLists {
public:
    TaskLists() : first_{0} {}
    // With capacity for some tasks and needs.
    TaskLists(int64_t tasks, int64_t needs) : TaskLists() {
        first_.reserve(static_cast<size_t>(tasks) + 1);
        needs_.reserve(static_cast<size_t>(needs));
    }
    // Adds to the needs of the task that close() ends.
    void push_back(int64_t need) { needs_.push_back(need); }
    void close() { first_.push_back(static_cast<int64_t>(needs_.size())); }
    void add(std::span<const int64_t> needs) {
        needs_.insert(needs_.end(), needs.begin(), needs.end());
        close();
    }
    // Adds the tasks of another list behind these. Their needs are numbered as they are to be here.
    void append(const TaskNeeds &others) {
        const auto before = static_cast<int64_t>(needs_.size());
        needs_.insert(needs_.end(), others.needs, others.needs + others.first[others.tasks]);
        for (int64_t task = 0; task < others.tasks; ++task)
            first_.push_back(before + others.first[task + 1]);
    }
    void shrink_to_fit() {
        first_.shrink_to_fit();
        needs_.shrink_to_fit();
    }
    TaskNeeds view() const { return {static_cast<int64_t>(first_.size()) - 1, first_.data(), needs_.data()}; }

private:
    std::vector<int64_t> first_, needs_;
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
