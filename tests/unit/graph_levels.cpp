// Levels of tasks, against a slow search, and the number of steps that they take.
#include "graph/levels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace dri::graph {
namespace {

using Lists = std::vector<std::vector<int64_t>>;

TaskLists listed(const Lists &needs) {
    TaskLists lists;
    for (const auto &own : needs)
        lists.add(own);
    return lists;
}

// Whether a task needs another one, directly or through others. A walk without any order.
bool reaches(const Lists &needs, int64_t from, int64_t to) {
    std::vector<int64_t> left = needs[static_cast<size_t>(from)];
    std::vector<bool> seen(needs.size());
    while (!left.empty()) {
        const int64_t task = left.back();
        left.pop_back();
        if (task == to)
            return true;
        if (seen[static_cast<size_t>(task)])
            continue;
        seen[static_cast<size_t>(task)] = true;
        const auto &own = needs[static_cast<size_t>(task)];
        left.insert(left.end(), own.begin(), own.end());
    }
    return false;
}

// The longest chain below a task of a graph without cycles.
int64_t depth(const Lists &needs, int64_t task) {
    int64_t most = 0;
    for (const int64_t need : needs[static_cast<size_t>(task)])
        most = std::max(most, depth(needs, need) + 1);
    return most;
}

TEST(GraphLevels, EqualTheLongestChains) {
    std::mt19937 dice(1);
    for (int round = 0; round < 200; ++round) {
        Lists needs(1 + dice() % 12);
        for (size_t task = 1; task < needs.size(); ++task)
            for (size_t need = 0; need < task; ++need)
                if (dice() % 3 == 0)
                    needs[task].push_back(static_cast<int64_t>(need));
        const TaskLists lists = listed(needs);
        std::vector<int64_t> level(needs.size());
        const LevelsFound found = find_levels(lists.view(), level.data());
        EXPECT_EQ(found.done, static_cast<int64_t>(needs.size()));
        int64_t most = 0;
        for (size_t task = 0; task < needs.size(); ++task) {
            EXPECT_EQ(level[task], depth(needs, static_cast<int64_t>(task)));
            most = std::max(most, level[task] + 1);
        }
        EXPECT_EQ(found.levels, most);
        EXPECT_TRUE(tasks_in_cycles(lists.view()).empty());
    }
}

// Tasks of which some only stand for what they need, against the longest chains of the others.
TEST(GraphLevels, SomeTasksStandForWhatTheyNeed) {
    std::mt19937 dice(3);
    for (int round = 0; round < 200; ++round) {
        const size_t counted = 1 + dice() % 6, all = counted + dice() % 6;
        std::vector<size_t> order(
            all); // needs are of tasks that are before in it; what stands for others needs some
        for (size_t i = 0; i < all; ++i)
            order[i] = i;
        std::shuffle(order.begin() + 1, order.end(), dice);
        Lists needs(all);
        for (size_t i = 1; i < all; ++i) {
            auto &own = needs[order[i]];
            for (size_t k = 0; k < i; ++k)
                if (dice() % 3 == 0)
                    own.push_back(static_cast<int64_t>(order[k]));
            if (own.empty() && order[i] >= counted)
                own.push_back(0);
        }
        const auto length = [&](const auto &self, int64_t task) -> int64_t {
            int64_t most = 0;
            for (const int64_t need : needs[static_cast<size_t>(task)])
                most = std::max(most, self(self, need) + (task < static_cast<int64_t>(counted)));
            return most;
        };
        std::vector<int64_t> level(all);
        find_levels(listed(needs).view(), level.data(), static_cast<int64_t>(counted));
        for (size_t task = 0; task < all; ++task)
            EXPECT_EQ(level[task], length(length, static_cast<int64_t>(task)));
    }
}

TEST(GraphLevels, CyclesAreFoundWithoutTheTasksBehindThem) {
    std::mt19937 dice(2);
    int with_cycles = 0;
    for (int round = 0; round < 300; ++round) {
        Lists needs(1 + dice() % 9);
        for (auto &own : needs)
            for (size_t need = 0; need < needs.size(); ++need)
                if (dice() % 6 == 0)
                    own.push_back(static_cast<int64_t>(need));
        std::vector<int64_t> expected, level(needs.size());
        for (size_t task = 0; task < needs.size(); ++task)
            if (reaches(needs, static_cast<int64_t>(task), static_cast<int64_t>(task)))
                expected.push_back(static_cast<int64_t>(task));
        const TaskLists lists = listed(needs);
        EXPECT_EQ(tasks_in_cycles(lists.view()), expected);
        const bool all = find_levels(lists.view(), level.data()).done == static_cast<int64_t>(needs.size());
        EXPECT_EQ(all, expected.empty());
        with_cycles += !expected.empty();
    }
    EXPECT_GT(with_cycles, 50);
}

TEST(GraphLevels, VisitsOfAChainGrowWithItsLength) {
    for (const int64_t n : {1, 10, 1000, 1000000}) {
        TaskLists lists;
        for (int64_t task = 0; task < n; ++task)
            lists.add(task ? std::vector<int64_t>{task - 1} : std::vector<int64_t>{});
        std::vector<int64_t> level(static_cast<size_t>(n));
        const LevelsFound found = find_levels(lists.view(), level.data());
        EXPECT_EQ(found.levels, n);
        EXPECT_EQ(found.visits, 2 * n - 1);
    }
}

TEST(GraphLevels, ALongCycleNeedsNoStack) {
    const int64_t n = 1000000;
    TaskLists lists;
    for (int64_t task = 0; task < n; ++task)
        lists.add(std::vector<int64_t>{(task + 1) % n});
    EXPECT_EQ(static_cast<int64_t>(tasks_in_cycles(lists.view()).size()), n);
}

} // namespace
} // namespace dri::graph
