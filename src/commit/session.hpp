// A process's work with the library between DRI_init and DRI_finalize: its transport, its endpoints, and the
// collective steps.
#pragma once

#include "base/log.hpp"
#include "commit/decision.hpp"
#include "commit/endpoint.hpp"
#include "commit/gather.hpp"
#include "commit/pinned_endpoints.hpp"
#include "commit/pipeline.hpp"
#include "commit/set_up_calls.hpp"
#include "commit/whole_transfer.hpp"
#include "exec/kernels.hpp"
#include "exec/parting.hpp"
#include "exec/progress_thread.hpp"
#include "exec/running.hpp"
#include "exec/workers.hpp"
#include "model/request.hpp"
#include "planner/node_map.hpp"
#include "transport/collective.hpp"
#include "transport/opened_memory.hpp"
#include "transport/transport.hpp"
#include "transport/user_memory.hpp"

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace dri::commit {

class Session {
public:
    // Collective over the world. Reads the settings. Fails with DRI_ERR_ARG on all processes if a setting is wrong
    // on any of them. user_memory: what the user takes before and during the session, also of earlier ones.
    explicit Session(std::unique_ptr<transport::Transport> transport,
                     std::shared_ptr<const transport::UserMemory> user_memory =
                         std::make_shared<const transport::UserMemory>());
    ~Session() { running_->clear(); } // breaks a cycle: transfers hold the transport, which holds running_
    Session(const Session &) = delete;
    Session &operator=(const Session &) = delete;

    int rank() const { return transport_->rank(); }
    int size() const { return transport_->size(); }

    // Collective over the group. make: returns this process's request, or fails. Fails on all processes if any of
    // them fails, and with DRI_ERR_MISMATCH if the requests differ.
    std::shared_ptr<const model::Distribution> agree_on_distribution(const model::Group &group,
                                                                     const std::function<model::Request()> &make);

    // Collective over the group: see gather.hpp.
    GatheredBytes gather(const model::Group &group, const std::function<Brought()> &make);

    // Several transfers of a process may have one name, if they are committed apart.
    std::shared_ptr<Endpoint> declare(Declaration declaration);
    // These two fail with DRI_ERR_STATE while a commit or a query of another thread holds the endpoint.
    void set_attributes(Endpoint &endpoint, const std::function<void(Attributes &)> &change) {
        endpoints_.change(endpoint, change);
    }
    void destroy(const std::shared_ptr<Endpoint> &endpoint, exec::Parting parting = exec::Parting::waits);

    // Collective over the scope. Commits all endpoints that are declared and not yet committed. Fails on all
    // processes with the same code; the endpoints then stay declared.
    void commit(const model::Group &scope);
    // The same for the endpoints that `get` returns, and no other one. Also fails on all processes if `get` fails.
    using GetEndpoints = std::function<EndpointList()>;
    void commit(const model::Group &scope, std::string_view call, const GetEndpoints &get);

    // Collective over the group. Agrees on distributions, declares the endpoints of a transfer and commits them,
    // and no other ones. Returns the endpoints in the order of their declaration. Fails on all processes with the
    // same code; nothing is declared then.
    EndpointList create(const model::Group &group, std::string_view call, const WholeTransfer &whole);

    // Collective over the scope. Returns the memory that the endpoints which `get` returns would need if all
    // declared endpoints were committed, and the smallest workspace that would suffice. Reserves nothing. Fails on
    // all processes with the same code, also if `get` fails.
    using Answer = Pipeline::Answer;
    std::vector<Answer> query(const model::Group &scope, const GetEndpoints &get);

    // As in EndpointTable.
    void refuse_use(const std::byte *begin, int64_t bytes) const { endpoints_.refuse_use(begin, bytes); }
    std::shared_ptr<Endpoint> find(std::string_view name) const { return endpoints_.find(name); }

    // Takes all steps of all transfers that can be taken now. Never waits for a frame. Allocates nothing.
    void progress();

    exec::Kernels &kernels() { return kernels_; }

    // Collective over the world. Destroys all endpoints first, so that no process waits for them in a frame. Fails
    // with DRI_ERR_STATE while another thread is in a collective call; nothing has happened then. Otherwise it
    // calls `started` before it destroys anything. Fails on all processes with DRI_ERR_STATE if a thread of any of
    // them is in another call of an endpoint. After any failure it may be called again, as long as the transport
    // can be used.
    void close(const std::function<void()> &started = [] {});

private:
    transport::Deadline deadline() const { return transport::Clock::now() + set_up_time_; }
    // The processes of a group that make a call together. The group is in rising order and must stay valid. Fails
    // with DRI_ERR_STATE if another thread is in a call that excludes this one.
    Party party_of(std::string_view call, const model::Group &group) {
        return {*transport_, call, group, set_up_time_,
                std::make_shared<SetUpCalls::Entry>(calls_, *transport_, call, group)};
    }
    void set_reports(); // of long waits, to the log
    model::Group world() const;
    // The processes of a group in rising order. Fails if this process is not among them. what: "group" or "scope".
    model::Group members_of(const model::Group &asked, const char *what) const;
    // With its last endpoint on this process, a transfer also leaves the list of running transfers.
    void forget(const std::shared_ptr<Endpoint> &endpoint);

    // Destroys all endpoints. Those that another thread uses stay, and are the reason of the outcome.
    transport::Outcome destroy_all();
    // Destroys one of them. Returns whether no thread uses it any more; otherwise keeps the first reason.
    bool leaves(Endpoint &endpoint, transport::Deadline until, transport::Outcome &outcome) noexcept;

    // The steps of a commit after its endpoints are pinned. before: a failure until then.
    void commit_pinned(const Party &party, CommittedBy by, const PinnedEndpoints &pinned,
                       transport::Outcome before);
    void report_commit(const model::Group &scope, std::span<const Bound> bound, double seconds,
                       const exec::KernelChooser &chooser) const noexcept;
    // The progress thread for the endpoints that request one; null if none does. Fails if MPI does not allow a
    // further thread or the system provides none.
    std::shared_ptr<exec::ProgressThread> thread_for(std::span<const std::shared_ptr<Endpoint>> endpoints);

    std::shared_ptr<transport::Transport> transport_;
    std::shared_ptr<const transport::UserMemory> user_memory_;
    // Of other processes.
    const std::shared_ptr<transport::OpenedMemory> opened_ = std::make_shared<transport::OpenedMemory>();
    std::shared_ptr<spdlog::logger> log_;
    std::chrono::nanoseconds set_up_time_;
    exec::Kernels kernels_;
    int64_t ways_ = all_ways;
    std::chrono::milliseconds timeout_{0}; // of endpoints that are given none
    std::shared_ptr<const planner::NodeMap> nodes_;
    std::vector<int> readable_; // as in NodeMemory
    SetUpCalls calls_;
    Counters counters_;
    exec::WorkerPool pool_;
    const std::shared_ptr<exec::Running> running_ = std::make_shared<exec::Running>();
    std::weak_ptr<exec::ProgressThread> thread_; // endpoints own it; it stops with the last of them
    EndpointTable endpoints_;
};

} // namespace dri::commit
