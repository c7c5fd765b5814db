// Collective steps of a commit: in each, all processes of the scope agree on one result.
#pragma once

#include "commit/set_up_calls.hpp"
#include "model/group.hpp"
#include "transport/agreement.hpp"
#include "transport/collective.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace dri::commit {

// The processes that make a collective call together. Each step of the call has a deadline of its own.
struct Party {
    transport::Transport &transport;
    std::string_view call; // as errors name it, such as "DRI_commit"
    const model::Group &group;
    std::chrono::nanoseconds patience; // of each step
    // Keeps other threads of this process out of calls that this one excludes, as long as the party exists.
    std::shared_ptr<const SetUpCalls::Entry> entry;

    // The next step, from now on.
    transport::Step step(std::string_view purpose) const {
        return {call, purpose, group.ranks(), transport::Clock::now() + patience};
    }
};

// The next unused numbers. Every member of a commit starts from the largest ones among the members, so no two
// exchanges of the same processes share a number.
struct Counters {
    int64_t tag = 0;    // message tags of transfers, see tags_per_sink()
    uint64_t stamp = 0; // stamps of sparse exchanges
    template <class F> static void fields(F f) {
        f(&Counters::tag, transport::Largest{});
        f(&Counters::stamp, transport::Largest{});
    }
};
// The maximum of each number among the members. Collective over the scope. When it returns, all members have
// called it.
Counters max_counters(const Party &party, const Counters &mine);

// How many of the names that do not match a message describes.
constexpr size_t max_disputed = 8;

// The result of matching: first for the names of one directory, after decide() for all names of the scope.
struct MatchSummary {
    transport::Outcome failure;           // the first failure by rank
    std::map<std::string, bool> disputed; // the lowest names whose endpoints do not match, up to max_disputed
    int64_t disputes = 0;                 // number of all such names
    int64_t tags = 0;                     // number of message tags that the names need
    bool limited = false;                 // whether any endpoint has a workspace limit
    int64_t first_tag = 0; // result of decide() only: number of tags that directories of lower rank need
    template <class F> static void fields(F f) {
        f(&MatchSummary::failure, transport::First{});
        f(&MatchSummary::disputed, transport::LowestKeys<max_disputed>{});
        f(&MatchSummary::disputes, transport::Sum{});
        f(&MatchSummary::tags, transport::Sum{});
        f(&MatchSummary::limited, transport::Any{});
        f(&MatchSummary::first_tag, transport::Keep{});
    }
};
// Collective over the scope, which is in rising order. A process with a failure waits twice its patience, as in
// agree_outcome().
MatchSummary decide(const Party &party, const MatchSummary &mine);

// By name: why its endpoints do not match.
using Disputes = std::map<std::string, transport::Outcome>;
// Those of all directories. Fails on all processes if any of them has failed. Collective over the scope.
Disputes gather_disputes(const Party &party, const transport::Outcome &mine, const Disputes &found);

// By name: how many times the length of its messages is halved. Names that are never halved have no entry.
using Halvings = std::map<std::string, int>;
// For each name the maximum that any process of the scope requests. Collective over the scope.
Halvings agree_on_halvings(const Party &party, const Halvings &mine);

// The outcome that all members of a group share: the first failure in group order, or success. A process that
// failed locally waits twice its patience, because the others may first time out on it in an earlier step.
transport::Outcome agree_outcome(const Party &party, const transport::Outcome &mine);

// Fails with the shared outcome. If it differs from the caller's own outcome, the message names the process that
// it comes from.
[[noreturn]] void fail_with(const transport::Outcome &shared, const transport::Outcome &mine);

// Fails on all members of the group if any of them has failed. Collective over the group.
void agree_or_fail(const Party &party, const transport::Outcome &mine);

// Runs the steps and returns what they throw as an outcome. A process that fails therefore still takes part in the
// collective steps that follow, and the others need not wait for it.
transport::Outcome outcome_of(const std::function<void()> &steps, int rank);

} // namespace dri::commit
