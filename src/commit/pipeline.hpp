// Runs the stages of a commit, with the collective steps between them. A query stops after the sizes, so its
// answer holds for a commit.
//
// Each function follows one pattern: a process keeps its local failure as its outcome and takes part in all steps,
// so that the others need not wait for it. At the end all processes agree on one outcome.
#pragma once

#include "commit/bind_stage.hpp"
#include "commit/decision.hpp"
#include "commit/plan_stage.hpp"
#include "commit/protocol.hpp"
#include "commit/stages.hpp"
#include "exec/parts.hpp"
#include "transport/collective.hpp"
#include "transport/shared_source.hpp"
#include "transport/sparse_exchange.hpp"

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace dri::commit {

class Pipeline {
public:
    // counters: of the session; raised by what the steps use. Message tags are given back unless keep_tags() is
    // called. The arguments must outlive the pipeline.
    Pipeline(const Committer &committer, const KnownMemory &memory, Counters &counters);

    // Matches, plans and sizes all endpoints. Collective. Fails on all processes with the same code if the
    // endpoints do not match; all later failures stay in the outcome. A query always finds out how sources are
    // read; a commit does so only if there are limits, and learns it otherwise from the memory handles.
    enum class Purpose { commit, query };
    void size(Purpose purpose);

    struct Answer {
        exec::EndpointMemory memory;
        int64_t plan_bytes = 0, least_bytes = 0; // least: the smallest workspace
    };
    // The memory of endpoints that were sized. The pipeline can then do nothing else.
    std::vector<Answer> answer(std::span<const std::shared_ptr<Endpoint>> endpoints);

    // Reserves and binds all transfers. Collective.
    void bind(const Binder &binder);
    std::span<const Bound> bound() const { return bound_; }

    // Runs local steps unless this process has failed. A failure becomes the outcome.
    void run(const std::function<void()> &steps);
    // Fails on all processes if any has failed. Collective.
    void agree_or_fail() const { commit::agree_or_fail(committer_.party, outcome_); }
    void keep_tags() { tags_.keep(); }

private:
    // purpose: as in transport::Step. Sends parcels between processes of the scope that share memory. Does nothing
    // if no processes of the world do: all processes know that. An earlier failure of any process fails here on
    // all of them, so no process waits for a parcel that will not arrive.
    std::vector<transport::Parcel> exchange_on_nodes(std::string_view purpose,
                                                     std::vector<transport::Parcel> parcels);
    // Makes messages as short as the workspace limits of the scope require. Collective.
    void agree_on_lengths();
    double measuring_seconds() const; // for each transfer that measures
    const Sized &sized_with(const Endpoint &endpoint) const;

    const Committer &committer_;
    KnownMemory memory_;
    Counters &counters_;
    TakenTags tags_;
    transport::Outcome outcome_;
    SharedPlans plans_;
    bool tiles_known_ = false; // the sources have announced how they are read
    // All transfers of this process. Each is in one of the stages; all refer to what was matched.
    std::vector<MatchedTransfer> matched_;
    std::vector<Planned> planned_;
    std::vector<Sized> sized_;
    std::vector<Reserved> reserved_;
    // Others may open the memory of this process's sources until all have agreed, even if it fails to bind. They
    // then do not fail for a second reason.
    std::vector<std::shared_ptr<transport::SharedSource>> offered_;
    std::vector<Bound> bound_;
};

} // namespace dri::commit
