// A process's work with the library between DRI_init and DRI_finalize: its transport, its endpoints, and the
// collective steps.
#pragma once

#include "base/log.hpp"
#include "commit/decision.hpp"
#include "commit/endpoint.hpp"
#include "commit/pipeline.hpp"
#include "commit/set_up_calls.hpp"
#include "exec/kernels.hpp"
#include "exec/progress_thread.hpp"
#include "exec/running.hpp"
#include "exec/workers.hpp"
#include "model/request.hpp"
#include "planner/node_map.hpp"
#include "transport/collective.hpp"
#include "transport/transport.hpp"

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace dri::commit {

// Finds a string by a view of it: calls by name look a transfer up in every frame, and must not allocate.
struct NameHash {
    using is_transparent = void;
    size_t operator()(std::string_view name) const { return std::hash<std::string_view>{}(name); }
};

class Session {
public:
    // Collective over the world. Reads the settings. Fails with DRI_ERR_ARG on all processes if a setting is wrong
    // on any of them.
    explicit Session(std::unique_ptr<transport::Transport> transport);
    ~Session() { running_->clear(); } // breaks a cycle: transfers hold the transport, which holds running_
    Session(const Session &) = delete;
    Session &operator=(const Session &) = delete;

    int rank() const { return transport_->rank(); }
    int size() const { return transport_->size(); }

    // Collective over the group. make: returns this process's request, or fails. Fails on all processes if any of
    // them fails, and with DRI_ERR_MISMATCH if the requests differ.
    std::shared_ptr<const model::Distribution> agree_on_distribution(const model::Group &group,
                                                                     const std::function<model::Request()> &make);

    // These three fail with DRI_ERR_STATE while a commit or a query of another thread holds the endpoint.
    // declare() does so if that commit or query holds another endpoint of the same name.
    std::shared_ptr<Endpoint> declare(Declaration declaration);
    void set_attributes(Endpoint &endpoint, const std::function<void(Attributes &)> &change);
    void destroy(const std::shared_ptr<Endpoint> &endpoint);

    // Collective over the scope. Commits all endpoints that are declared and not yet committed. Fails on all
    // processes with the same code; the endpoints then stay declared.
    void commit(const model::Group &scope);

    // Collective over the scope. Returns the memory that the endpoints which `get` returns would need if all
    // declared endpoints were committed, and the smallest workspace that would suffice. Reserves nothing. Fails on
    // all processes with the same code, also if `get` fails.
    using Answer = Pipeline::Answer;
    std::vector<Answer> query(const model::Group &scope,
                              const std::function<std::vector<std::shared_ptr<Endpoint>>()> &get);

    // An endpoint of that name. Fails with DRI_ERR_ARG if this process has none.
    std::shared_ptr<Endpoint> find(std::string_view name) const;

    // Takes all steps of all transfers that can be taken now. Never waits for a frame. Allocates nothing.
    void progress();

    // What was measured and imported, as text. Any thread may make these calls.
    std::string wisdom() const { return kernels_.wisdom(); }
    void add_wisdom(std::string_view text) { kernels_.add_wisdom(text); }

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
    model::Group world() const;
    // The processes of the scope in rising order. Fails if this process is not among them.
    model::Group scope_of(const model::Group &asked) const;
    // The caller of both functions holds mutex_.
    std::span<const std::shared_ptr<Endpoint>> endpoints_named(std::string_view name) const;
    void forget(const std::shared_ptr<Endpoint> &endpoint);

    // Destroys all endpoints. Those that another thread uses stay in leaving_, and are the reason of the outcome.
    transport::Outcome destroy_all();
    // Destroys one of them. Returns whether no thread uses it any more; otherwise keeps the first reason.
    bool leaves(Endpoint &endpoint, transport::Deadline until, transport::Outcome &outcome) noexcept;

    // All endpoints that are declared and not committed. As long as this object exists, they are pinned: no other
    // thread changes or destroys them.
    class PinnedEndpoints {
    public:
        explicit PinnedEndpoints(Session &session);
        ~PinnedEndpoints();
        PinnedEndpoints(const PinnedEndpoints &) = delete;
        PinnedEndpoints &operator=(const PinnedEndpoints &) = delete;
        const std::vector<std::shared_ptr<Endpoint>> &endpoints() const { return endpoints_; }
        bool has(const std::shared_ptr<Endpoint> &endpoint) const;

    private:
        Session &session_;
        std::vector<std::shared_ptr<Endpoint>> endpoints_;
    };
    std::map<Digest, std::shared_ptr<const model::Distribution>> distributions() const; // of all endpoints
    void report_commit(const model::Group &scope, std::span<const Bound> bound, double seconds,
                       const exec::KernelChooser &chooser) const noexcept;
    // The progress thread for the endpoints that request one; null if none does. Fails if MPI does not allow a
    // further thread or the system provides none.
    std::shared_ptr<exec::ProgressThread> thread_for(std::span<const std::shared_ptr<Endpoint>> endpoints);

    std::shared_ptr<transport::Transport> transport_;
    std::shared_ptr<spdlog::logger> log_;
    std::chrono::nanoseconds set_up_time_;
    exec::Kernels kernels_;
    int64_t ways_ = all_ways;
    std::shared_ptr<const planner::NodeMap> nodes_;
    std::vector<int> readable_; // as in NodeMemory
    SetUpCalls calls_;
    Counters counters_;
    exec::WorkerPool pool_;
    const std::shared_ptr<exec::Running> running_ = std::make_shared<exec::Running>();
    std::weak_ptr<exec::ProgressThread> thread_; // endpoints own it; it stops with the last of them
    mutable std::mutex mutex_;                   // guards endpoints_ and the pins of all endpoints
    // By name, in the order of declaration; no list is empty. The endpoints of one name are committed together.
    std::unordered_map<std::string, std::vector<std::shared_ptr<Endpoint>>, NameHash, std::equal_to<>> endpoints_;
    std::vector<std::shared_ptr<Endpoint>> leaving_; // those that close() has still to destroy
};

} // namespace dri::commit
