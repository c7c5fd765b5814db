// How the processes of a scope come to know what their ends are matched with. See docs/planning.md.
#pragma once

#include "commit/decision.hpp"
#include "commit/directory.hpp"

#include <chrono>
#include <map>

namespace dri {

// Distributions that a process has.
using KnownDistributions = std::map<Digest, std::shared_ptr<const Distribution>>;

// A process in a commit.
struct Committer {
    Transport &transport;
    const Group &scope; // in rising order
    Endpoints mine;
    KnownDistributions known; // those of its ends at least
    std::shared_ptr<const NodeMap> nodes;
    std::chrono::nanoseconds patience; // of each step
};

struct Matching {
    std::vector<MatchedTransfer> transfers; // that this process holds ends of, in rising order of names
    bool limited = false;                   // whether any end of the scope has a workspace limit
    bool in_place = false;                  // whether any end of the scope is in place
    Outcome outcome;                        // other processes may have another one: share it
};

// Collective over the scope. Fails on all alike with DRI_ERR_UNMATCHED or DRI_ERR_MISMATCH for the lowest name
// that is wrong, and with DRI_ERR_LIMIT where tags run out. Counts on what the commit has used. A process
// receives: descriptions of the ends of those names that it is the directory of; the sides that concern it; each
// distribution that it lacks, once. Cost: O(log P) steps.
Matching match_scope(const Committer &committer, Counters &counters);

} // namespace dri
