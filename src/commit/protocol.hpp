// How the processes of a scope find out with which others their endpoints are matched. See docs/planning.md.
#pragma once

#include "commit/decision.hpp"
#include "commit/directory.hpp"
#include "model/distribution.hpp"
#include "model/group.hpp"
#include "planner/node_map.hpp"
#include "transport/collective.hpp"
#include "transport/transport.hpp"

#include <chrono>
#include <map>

namespace dri::commit {

// The distributions that a process holds, by digest.
using KnownDistributions = std::map<Digest, std::shared_ptr<const model::Distribution>>;

// A process in a commit.
struct Committer {
    Party party; // the group is in rising order
    Endpoints mine;
    KnownDistributions known; // at least those of `mine`
    std::shared_ptr<const planner::NodeMap> nodes;
    Endpoints others = {};          // those of the process that are not in this commit
    transport::Outcome before = {}; // a failure of this process before the first step
};

struct Matching {
    std::vector<MatchedTransfer> transfers; // in which this process holds endpoints, in rising order of names
    bool limited = false;                   // whether any endpoint of the scope has a workspace limit
    transport::Outcome
        outcome; // of this process; others may have another one, so the caller must still agree on it
};

// Collective over the scope. Fails on all processes with the same code: that of a process's earlier failure, that
// of match_endpoints() for the lowest name whose endpoints do not match, or DRI_ERR_LIMIT if the message tags are
// used up. The message has all names that do not match, up to max_disputed. Raises `counters` by what the commit
// has used. Each process receives: the descriptions of the names of which it is the directory; the sides that
// concern it; each distribution that it lacks, once. Cost: O(log P) steps.
Matching match_scope(const Committer &committer, Counters &counters);

// Gives back the message tags that match_scope() takes, unless they are kept: only a commit that succeeds uses
// them.
class TakenTags {
public:
    explicit TakenTags(Counters &counters) : counters_(counters), tag_(counters.tag) {}
    ~TakenTags() { counters_.tag = tag_; }
    TakenTags(const TakenTags &) = delete;
    TakenTags &operator=(const TakenTags &) = delete;
    void keep() { tag_ = counters_.tag; }

private:
    Counters &counters_;
    int64_t tag_;
};

} // namespace dri::commit
