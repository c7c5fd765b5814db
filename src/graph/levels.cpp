// Kahn's algorithm for levels, Tarjan's for cycles.
#include "graph/levels.hpp"

#include <algorithm>

namespace dri::graph {

namespace {

// The tasks that need a task: the lists the other way round.
struct Users {
    std::vector<int64_t> first, users;

    explicit Users(const TaskNeeds &needs)
        : first(static_cast<size_t>(needs.tasks) + 1), users(static_cast<size_t>(needs.first[needs.tasks])) {
        for (size_t i = 0; i < users.size(); ++i)
            ++first[static_cast<size_t>(needs.needs[i]) + 1];
        for (size_t i = 1; i < first.size(); ++i)
            first[i] += first[i - 1];
        std::vector<int64_t> at(first.begin(), first.end() - 1);
        for (int64_t task = 0; task < needs.tasks; ++task)
            for (const int64_t need : needs.of(task))
                users[static_cast<size_t>(at[static_cast<size_t>(need)]++)] = task;
    }
};

// A task whose needs are being followed.
struct Followed {
    int64_t task, next;
};

// Finds the strongly connected components. Recursion would be as deep as the longest chain.
class Components {
public:
    explicit Components(const TaskNeeds &needs)
        : needs_(needs), number_(static_cast<size_t>(needs.tasks), -1), low_(number_), open_(number_.size()) {
        for (int64_t task = 0; task < needs.tasks; ++task)
            if (number(task) < 0)
                follow(task);
        std::sort(in_cycles_.begin(), in_cycles_.end());
    }
    std::vector<int64_t> take() { return std::move(in_cycles_); }

private:
    int64_t &number(int64_t task) { return number_[static_cast<size_t>(task)]; }
    int64_t &low(int64_t task) { return low_[static_cast<size_t>(task)]; }

    void enter(int64_t task) {
        number(task) = low(task) = count_++;
        stack_.push_back(task);
        open_[static_cast<size_t>(task)] = true;
        path_.push_back({task, 0});
    }

    void follow(int64_t start) {
        enter(start);
        while (!path_.empty()) {
            auto &[task, next] = path_.back();
            const auto needs = needs_.of(task);
            if (next == static_cast<int64_t>(needs.size())) {
                leave(task);
                continue;
            }
            const int64_t need = needs[static_cast<size_t>(next++)];
            if (number(need) < 0)
                enter(need);
            else if (open_[static_cast<size_t>(need)])
                low(task) = std::min(low(task), number(need));
        }
    }

    void leave(int64_t task) {
        path_.pop_back();
        if (!path_.empty())
            low(path_.back().task) = std::min(low(path_.back().task), low(task));
        if (low(task) != number(task))
            return;
        const auto begin = std::find(stack_.rbegin(), stack_.rend(), task).base() - 1;
        const auto own = needs_.of(task);
        if (stack_.end() - begin > 1 || std::find(own.begin(), own.end(), task) != own.end())
            in_cycles_.insert(in_cycles_.end(), begin, stack_.end());
        for (auto at = begin; at != stack_.end(); ++at)
            open_[static_cast<size_t>(*at)] = false;
        stack_.erase(begin, stack_.end());
    }

    const TaskNeeds &needs_;
    std::vector<int64_t> number_, low_, stack_, in_cycles_;
    std::vector<bool> open_;
    std::vector<Followed> path_;
    int64_t count_ = 0;
};

} // namespace

LevelsFound find_levels(const TaskNeeds &needs, int64_t level[], int64_t counted) {
    LevelsFound found;
    const Users users(needs);
    std::vector<int64_t> open(static_cast<size_t>(needs.tasks)), ready;
    ready.reserve(open.size());
    for (int64_t task = 0; task < needs.tasks; ++task) {
        open[static_cast<size_t>(task)] = static_cast<int64_t>(needs.of(task).size());
        level[task] = open[static_cast<size_t>(task)] ? -1 : 0;
        if (level[task] == 0)
            ready.push_back(task);
    }
    // The levels that a task has seen so far are kept apart, because its own is known with the last need only.
    std::vector<int64_t> seen(open.size());
    for (size_t at = 0; at < ready.size(); ++at, ++found.visits) {
        const int64_t task = ready[at];
        found.levels = std::max(found.levels, level[task] + 1);
        const auto begin = static_cast<size_t>(users.first[static_cast<size_t>(task)]),
                   end = static_cast<size_t>(users.first[static_cast<size_t>(task) + 1]);
        for (size_t i = begin; i < end; ++i, ++found.visits) {
            const auto user = static_cast<size_t>(users.users[i]);
            seen[user] = std::max(seen[user], level[task] + (users.users[i] < counted));
            if (--open[user] == 0) {
                level[user] = seen[user];
                ready.push_back(users.users[i]);
            }
        }
    }
    found.done = static_cast<int64_t>(ready.size());
    return found;
}

std::vector<int64_t> tasks_in_cycles(const TaskNeeds &needs) { return Components(needs).take(); }

} // namespace dri::graph
