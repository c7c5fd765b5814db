// The memory that an end will take, told from its plans before anything is reserved.
#pragma once

#include "commit/prepare.hpp"

namespace dri {

// In bytes. The first three are the workspace.
struct MemoryEstimate {
    int64_t messages = 0;
    int64_t copies = 0;  // in shared memory, of a source's buffers that the user brings
    int64_t tiles = 0;   // of other processes' memory that a sink reads where it is
    int64_t buffers = 0; // that the library provides

    int64_t workspace() const { return messages + copies + tiles; }
};

int64_t limit_of(const Endpoint &endpoint); // of its workspace

// The same numbers as the running transfer's. The draft has a source.
MemoryEstimate source_estimate(const DraftTransfer &draft);
// The flow has an end.
MemoryEstimate sink_estimate(const DraftTransfer &draft, const DraftTransfer::Flow &flow,
                             const ReadSources &sources);

// Gives messages as much room as the workspace limits of the draft's ends allow; false where an end does not get
// by with messages of this length. Not in place, see fit_in_place.
bool fit_into_limits(DraftTransfer &draft, const ReadSources &sources);
// What the ends take when messages have as little room as can be: one place for each peer.
void give_min_staging(DraftTransfer &draft);
// The same draft with such plans, and that room.
DraftTransfer with_min_staging(const DraftTransfer &draft, const PlanChoice &choice, SharedPlans &plans);
// The same with the messages with which the source takes least, of all lengths from that one on with which this
// process's sinks get by.
DraftTransfer with_min_source(const DraftTransfer &draft, const PlanChoice &first, SharedPlans &plans,
                              const ReadSources &sources);
// Fails with DRI_ERR_LIMIT for the end that lacks least of those whose limit is less than they take. There is one.
// by_source: the same ends, with what the source takes.
[[noreturn]] void fail_beyond_limit(const DraftTransfer &smallest, const DraftTransfer &by_source,
                                    const ReadSources &sources);

} // namespace dri
