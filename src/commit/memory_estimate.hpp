// The memory that an endpoint will need, computed from its plans before anything is reserved.
#pragma once

#include "commit/prepare.hpp"

namespace dri::commit {

// In bytes. Messages, copies and tiles together are the workspace.
struct MemoryEstimate {
    int64_t messages = 0;
    int64_t copies = 0;  // source: copies of the user's buffers in shared memory
    int64_t tiles = 0;   // sink: scratch memory for other processes' memory that it reads where it lies
    int64_t buffers = 0; // buffers that the library provides
    int64_t plan = 0;    // only in the answer to a query: plan_bytes_of()

    int64_t workspace() const { return messages + copies + tiles; }
};

int64_t limit_of(const Endpoint &endpoint); // of its workspace, in bytes

// Memory of an endpoint's part of the plans, see exec::plan_bytes().
int64_t plan_bytes_of(const Endpoint &endpoint, const DraftTransfer &draft);

// The numbers that the running transfer will report. The draft has a source on this process.
MemoryEstimate source_estimate(const DraftTransfer &draft);
// The same for a sink. The flow has an endpoint on this process.
MemoryEstimate sink_estimate(const DraftTransfer &draft, const DraftTransfer::Flow &flow,
                             const ReadSources &sources);

// Gives messages as much staging as the workspace limits of the draft's endpoints allow. Returns false if messages
// of this length do not fit at one of the endpoints. Not for transfers in place, see fit_in_place().
bool fit_into_limits(DraftTransfer &draft, const ReadSources &sources);
// Gives messages the smallest possible staging: one slot for each peer; in place what they need at once.
void give_min_staging(DraftTransfer &draft);
// The same draft with messages halved that often, and the smallest possible staging.
DraftTransfer with_min_staging(const DraftTransfer &draft, int halvings, SharedPlans &plans);
// The same draft with the length of messages for which the source needs the least memory. Candidates are the
// shortest length, and the lengths from `first` halvings on for which this process's sinks fit into their limits.
DraftTransfer with_min_source(const DraftTransfer &draft, int first, SharedPlans &plans,
                              const ReadSources &sources);
// Fails with DRI_ERR_LIMIT. The message names the endpoint that exceeds its limit by the fewest bytes. At least
// one endpoint must exceed its limit. by_source: a draft of the same endpoints; the source's bytes are taken
// from it.
[[noreturn]] void fail_beyond_limit(const DraftTransfer &smallest, const DraftTransfer &by_source,
                                    const ReadSources &sources);

} // namespace dri::commit
