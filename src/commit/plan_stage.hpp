// Matched -> planned: the plans of a transfer on this process, and with which processes it exchanges headers and
// verdicts.
#pragma once

#include "commit/stages.hpp"
#include "plan/plan.hpp"
#include "planner/plan_options.hpp"
#include "transport/user_memory.hpp"

#include <map>
#include <memory>
#include <span>

namespace dri::commit {

// The plans of one commit on one process. Transfers whose sides, layouts, scales and options are equal share a
// plan, whatever their names.
class SharedPlans {
public:
    explicit SharedPlans(int rank) : rank_(rank) {}

    std::shared_ptr<const plan::Plan> get(const MatchedTransfer &transfer, size_t sink, int halvings = 0,
                                          planner::PlanFor made_for = planner::PlanFor::frames);

private:
    int rank_;
    // Does not keep them: plans that turned out to be too large would otherwise stay until the end of the commit.
    std::map<Digest, std::weak_ptr<const plan::Plan>> plans_;
};

// What a process knows of memory. readable: as in NodeMemory.
struct KnownMemory {
    std::span<const int> readable;
    const transport::UserMemory &user;
};

// Plans, and reserves nothing. mine: all endpoints that this process has declared. Fails with DRI_ERR_ARG if
// buffers share memory or are too small.
Planned plan_stage(const MatchedTransfer &matched, std::span<const std::shared_ptr<Endpoint>> mine,
                   SharedPlans &plans, const KnownMemory &memory);

// How often messages can be halved. In place they cannot.
int max_halvings(const Planned &planned);
// The same transfer with messages of another length; direct pairs do not change. The old plans need not be there.
Planned with_halvings(Planned planned, int halvings, SharedPlans &plans,
                      planner::PlanFor made_for = planner::PlanFor::frames);
// The same transfer, which no longer holds its plans.
Planned without_plans(Planned planned);

} // namespace dri::commit
