// From a matched transfer to one that runs: plans, buffers, kernels and messages of this process. The steps are:
// 1. draft_transfer() plans.
// 2. reserve_buffers() reserves the buffers.
// 3. The processes of a node send each other the memory handles of their sources (memory_handles.hpp).
// 4. finish_transfer() opens these sources, chooses kernels and prepares messages.
#pragma once

#include "commit/match.hpp"
#include "commit/memory_handles.hpp"
#include "exec/drop_control.hpp"
#include "exec/header_channel.hpp"
#include "exec/lane_layout.hpp"
#include "exec/transfer.hpp"
#include "exec/window.hpp"
#include "exec/workers.hpp"
#include "plan/plan.hpp"
#include "planner/planner.hpp"
#include "transport/transport.hpp"

#include <map>

namespace dri::commit {

// The plans of one commit on one process. Transfers whose sides, layouts, scales and options are equal share a
// plan, whatever their names.
class SharedPlans {
public:
    explicit SharedPlans(int rank) : rank_(rank) {}

    std::shared_ptr<const plan::Plan> get(const MatchedTransfer &transfer, size_t sink, int halvings = 0);

private:
    int rank_;
    // Does not keep them: plans that turned out to be too large would otherwise stay until the end of the commit.
    std::map<Digest, std::weak_ptr<const plan::Plan>> plans_;
};

// A transfer with its plans and buffers.
struct DraftTransfer {
    struct Flow {
        size_t sink = 0; // index among the sinks of the matched transfer
        std::shared_ptr<const plan::Plan> plan;
        std::shared_ptr<Endpoint> endpoint; // null: this process is not in that sink
        std::optional<exec::SinkEnd> buffers;
        std::shared_ptr<const exec::Window> window{}; // of the sink's endpoint; null if it does not slide
        int64_t first_puller = 0;    // number of the flow's first puller among all pullers of the source
        exec::StagingBudget staging; // of the source's sends and the sink's receives
        exec::HeaderPeers headers;
        exec::DropPeers drop;
    };
    const MatchedTransfer *matched = nullptr;
    std::shared_ptr<Endpoint> source_endpoint; // null: this process is not in the source
    std::optional<exec::SourceEnd> source;
    std::shared_ptr<const exec::Window> source_window; // null if it does not slide
    std::vector<Flow> flows;
    int64_t pullers = 0;                      // number of pullers of the source in all flows together
    std::vector<uint64_t> elsewhere;          // addresses at which they read its buffers, as in SourceHandle
    int halvings = 0;                         // of the plans, as in PlanOptions
    int max_halvings = planner::max_halvings; // with these its endpoints need the least memory; 0 in place
};

// The same endpoints with other plans, without buffers and with the default staging budget.
DraftTransfer with_plans(const DraftTransfer &draft, int halvings, SharedPlans &plans);
// Replans with different message lengths; direct pairs do not change.
void choose_plans(DraftTransfer &draft, int halvings, SharedPlans &plans);

// Whether any of this process's endpoints has its kernels measured.
bool measures(const DraftTransfer &draft);

struct PreparedTransfer {
    std::shared_ptr<exec::LocalTransfer> transfer;
    struct Member {
        std::shared_ptr<Endpoint> endpoint;
        size_t flow = 0;
    };
    std::vector<Member> members; // this process's endpoints of the name
};

// Plans, and reserves nothing. mine: all endpoints that this process has declared. Fails with DRI_ERR_ARG if
// buffers share memory. readable: as in NodeMemory. The draft refers to `matched`, which must outlive it.
DraftTransfer draft_transfer(const MatchedTransfer &matched, std::span<const std::shared_ptr<Endpoint>> mine,
                             SharedPlans &plans, std::span<const int> readable);

// Makes the endpoints' states with their buffers. Fails if memory is short.
void reserve_buffers(DraftTransfer &draft);

// Makes the transfer and moves the draft's buffers into it. Fails with DRI_ERR_TRANSPORT if the memory of another
// process cannot be opened; also fails if memory or threads are short. If it fails, the draft keeps its source's
// memory. The others can then still open that memory, and do not fail for a second reason. pool: the threads of
// the process.
PreparedTransfer finish_transfer(DraftTransfer &draft, const SourceHandles &handles, kernel::Chooser &chooser,
                                 exec::WorkerPool &pool, const std::shared_ptr<transport::Transport> &transport,
                                 std::chrono::nanoseconds patience);

} // namespace dri::commit
