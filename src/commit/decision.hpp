// The collective steps of a commit in which the scope comes to one result.
#pragma once

#include "model/group.hpp"
#include "transport/collective.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace dri {

// Numbers that no two exchanges of the same processes share: every member begins where the furthest is.
struct Counters {
    int64_t tag = 0;
    uint64_t stamp = 0;
};
// The greatest of each among the members. Collective over the scope; all are here when it returns.
Counters max_counters(Transport &transport, const Group &scope, int tag, const Counters &mine, Deadline deadline);

// What became of the names that a process is the directory of, and then of those of all.
struct Decision {
    Outcome failure;                      // the first by rank
    std::optional<std::string> unmatched; // the lowest name whose ends do not match
    int64_t tags = 0;                     // that the names take
    bool limited = false;                 // whether an end has a workspace limit
    bool in_place = false;                // whether an end is in place
    int64_t first_tag = 0;                // decided: how many the processes before this one take
};
// Collective over the scope, which is in rising order. Waits as share does.
Decision decide(Transport &transport, const Group &scope, int tag, const Decision &mine,
                std::chrono::nanoseconds patience);

// How many times the messages of a name are halved, where they are.
using Halvings = std::map<std::string, int>;
// The most that any process of the scope asks for. Collective over the scope.
Halvings agree_on_halvings(Transport &transport, const Group &scope, int tag, const Halvings &mine,
                           Deadline deadline);

// What planning a transfer in place in one way takes of its processes together, in bytes.
struct InPlaceCost {
    int64_t mark = 0;          // the largest buffer of a process, divided by their number
    int64_t max_workspace = 0; // the largest workspace of a process, but of those with limits on both ends
    int64_t min_workspace = 0; // the smallest workspace of each end, added up
    int64_t lack = 0;          // by how much those are beyond the ends' limits, added up
    bool asked = false;        // whether somebody wants to know the least
    friend bool operator==(const InPlaceCost &, const InPlaceCost &) = default;
};
void add(InPlaceCost &sum, const InPlaceCost &other);
using InPlaceCosts = std::map<std::string, InPlaceCost>; // by name
// Collective over the scope.
InPlaceCosts reduce_costs(Transport &transport, const Group &scope, int tag, const InPlaceCosts &mine,
                          Deadline deadline);

// The outcome that all of a group share: the first by position that is none of success. Who has failed itself
// waits twice as long, because the others may first have to miss it elsewhere.
Outcome agree_outcome(Transport &transport, const Group &group, int tag, const Outcome &mine,
                      std::chrono::nanoseconds patience);

// Fails with the shared outcome. The process that it comes from is named where the caller's own is another one.
[[noreturn]] void fail_with(const Outcome &shared, const Outcome &mine);

// The outcome of steps that must not stop others: what they fail with.
Outcome outcome_of(const std::function<void()> &steps, int rank);

} // namespace dri
