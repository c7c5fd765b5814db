// From a matched transfer to one that runs: plans, kernels, buffers and messages of this process. Between the two
// steps the processes of a node tell each other where their shared buffers are.
#pragma once

#include "commit/match.hpp"
#include "commit/memory_handles.hpp"

#include <map>

namespace dri {

// In place: the two ways to plan, see planner.hpp for what arranged plans do.
enum class InPlaceWay { as_it_lies, arranged };

// Which of its plans a transfer goes by. All of its processes go by the same.
struct PlanChoice {
    int halvings = 0;                        // as of PlanOptions; 0 in place
    InPlaceWay way = InPlaceWay::as_it_lies; // in place
    friend bool operator==(const PlanChoice &, const PlanChoice &) = default;
};

// The plans of one commit and process: transfers of equal sides in equal layouts, with equal scales and options,
// share theirs, whatever their names.
class SharedPlans {
public:
    explicit SharedPlans(int rank) : rank_(rank) {}

    std::shared_ptr<const Plan> get(const MatchedTransfer &transfer, size_t sink, const PlanChoice &choice = {});

private:
    int rank_;
    std::map<Digest, std::shared_ptr<const Plan>> plans_;
};

// A transfer with its plans and buffers.
struct DraftTransfer {
    struct Flow {
        size_t sink = 0; // which of the matched transfer's
        std::shared_ptr<const Plan> plan;
        std::shared_ptr<Endpoint> endpoint; // null: this process is not in that sink
        std::optional<EndpointState> buffers;
        std::shared_ptr<const Window> window{}; // of the end, where it slides
        int64_t first_puller = 0;
        StagingBudget staging; // of the source's messages and the sink's
        HeaderPeers headers;
        DropPeers drop;
    };
    const MatchedTransfer *matched = nullptr;
    std::shared_ptr<Endpoint> source_endpoint; // null: this process is not in the source
    std::optional<EndpointState> source;
    std::shared_ptr<const Window> source_window; // where it slides
    std::vector<Flow> flows;
    int64_t pullers = 0;             // that pull from the source, all sinks together
    std::vector<uint64_t> elsewhere; // where they read its buffers, as of SourceHandle
    PlanChoice choice;
    PlanChoice smallest{.halvings = max_halvings}; // with which its ends take least
};

// The same ends with such plans, without buffers and room.
DraftTransfer with_plans(const DraftTransfer &draft, const PlanChoice &choice, SharedPlans &plans);
// Plans anew, with other messages. Who shares memory with whom stays.
void choose_plans(DraftTransfer &draft, const PlanChoice &choice, SharedPlans &plans);

// Whether one of this process's ends has its kernels measured.
bool measures(const DraftTransfer &draft);

struct PreparedTransfer {
    std::shared_ptr<LocalTransfer> transfer;
    struct Member {
        std::shared_ptr<Endpoint> endpoint;
        size_t flow = 0;
    };
    std::vector<Member> members; // this process's ends of the name
};

// Plans and reserves nothing. mine: all ends that this process has declared. Fails with DRI_ERR_ARG where buffers
// share memory. readable: as NodeMemory::readable. The draft refers to `matched`.
DraftTransfer draft_transfer(const MatchedTransfer &matched, std::span<const std::shared_ptr<Endpoint>> mine,
                             SharedPlans &plans, std::span<const int> readable);

// Makes the ends with their buffers. Fails where memory is short.
void reserve_buffers(DraftTransfer &draft);

// Takes what the draft has. Fails with DRI_ERR_TRANSPORT where the memory of another process cannot be opened, and
// where memory is short, or threads are; the draft keeps its source's memory then, so that the others can still
// open it, and nobody fails because of that. pool: of the process.
PreparedTransfer finish_transfer(DraftTransfer &draft, const SourceHandles &handles, Chooser &chooser,
                                 WorkerPool &pool, const std::shared_ptr<Transport> &transport,
                                 std::chrono::nanoseconds patience);

} // namespace dri
