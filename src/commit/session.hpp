// A process's work with the library between start and end: its transport, its ends, and the collective steps.
#pragma once

#include "base/log.hpp"
#include "commit/decision.hpp"
#include "commit/endpoint.hpp"
#include "commit/memory_estimate.hpp"
#include "commit/prepare.hpp"
#include "exec/running.hpp"
#include "model/request.hpp"
#include "planner/node_map.hpp"

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace dri {

// Finds a string by a view of it: every frame asks by its name, and allocates nothing.
struct NameHash {
    using is_transparent = void;
    size_t operator()(std::string_view name) const { return std::hash<std::string_view>{}(name); }
};

class Session {
public:
    // Collective over the world. Reads the settings; fails with DRI_ERR_ARG on all where one is wrong anywhere.
    explicit Session(std::unique_ptr<Transport> transport);
    ~Session() { running_->clear(); } // they hold the transport, which holds them
    Session(const Session &) = delete;
    Session &operator=(const Session &) = delete;

    int rank() const { return transport_->rank(); }
    int size() const { return transport_->size(); }

    // Collective over the group. make: what this process asks for, or what it fails with.
    std::shared_ptr<const Distribution> agree_on_distribution(const Group &group,
                                                              const std::function<Request()> &make);

    // These fail with DRI_ERR_STATE while a commit or a query of another thread has the end, or, where one is
    // declared, another of its name.
    std::shared_ptr<Endpoint> declare(Declaration declaration);
    void set_attributes(Endpoint &endpoint, const std::function<void(Attributes &)> &change);
    void destroy(const std::shared_ptr<Endpoint> &endpoint);

    // Collective over the scope: takes all ends declared since the last commit. Fails on all alike, and leaves the
    // ends declared then.
    void commit(const Group &scope);

    // Collective over the scope: what the ends of this process that `get` gives would take, if all declared ones
    // were committed, and how little they could. Keeps nothing. Fails on all alike, also with what `get` fails
    // with.
    struct Answer {
        MemoryEstimate needs;
        int64_t least_bytes = 0; // of workspace
    };
    std::vector<Answer> query(const Group &scope,
                              const std::function<std::vector<std::shared_ptr<Endpoint>>()> &get);

    // The committed transfer that this process holds ends of. Fails with DRI_ERR_ARG where there is none of that
    // name, and with DRI_ERR_STATE where it is not committed.
    std::shared_ptr<LocalTransfer> find(std::string_view name) const;

    // Takes all steps of all transfers that can be taken now. Allocates nothing.
    void progress();

    // Which kernels were fastest; lives as long as the session. May be used by any thread.
    Wisdom &wisdom() { return wisdom_; }

    // Collective over the world. Lets all ends go, so that nobody waits for them in a frame. Fails with
    // DRI_ERR_TIMEOUT, which names who has not come; it may be called again then.
    void close();

private:
    Deadline deadline() const { return Clock::now() + set_up_time_; }
    Group world() const;
    // What a source tells its readers, to whom it is read where it is.
    ReadSources exchange_reading(const Group &scope, std::span<const DraftTransfer> drafts, Outcome &outcome);
    // Makes messages as short as the workspace limits of the scope want. What fails here, or has failed, stays in
    // `outcome`; the process takes part all the same. Collective over the scope.
    void shorten_messages(const Group &scope, std::span<DraftTransfer> drafts, SharedPlans &plans,
                          const ReadSources &sources, Outcome &outcome);
    // The caller holds the lock.
    std::span<const std::shared_ptr<Endpoint>> endpoints_named(std::string_view name) const;
    void forget(const std::shared_ptr<Endpoint> &endpoint);

    // The ends declared and not committed; nobody else changes or destroys them while this lives.
    class TakenEndpoints {
    public:
        explicit TakenEndpoints(Session &session);
        ~TakenEndpoints();
        TakenEndpoints(const TakenEndpoints &) = delete;
        TakenEndpoints &operator=(const TakenEndpoints &) = delete;
        const std::vector<std::shared_ptr<Endpoint>> &endpoints() const { return endpoints_; }
        bool has(const std::shared_ptr<Endpoint> &endpoint) const;

    private:
        Session &session_;
        std::vector<std::shared_ptr<Endpoint>> endpoints_;
    };
    std::map<Digest, std::shared_ptr<const Distribution>> distributions() const; // of all ends
    void agree_failure(const Group &group, int tag, const Outcome &mine);

    double measuring_seconds(size_t transfers) const; // for each of them
    // For those ends that want one; null where none does. Fails where MPI or the system has none to give.
    std::shared_ptr<ProgressThread> thread_for(std::span<const std::shared_ptr<Endpoint>> endpoints);
    std::vector<Parcel> exchange_on_nodes(const Group &scope, std::vector<Parcel> parcels, Outcome &outcome);

    std::shared_ptr<Transport> transport_;
    std::shared_ptr<spdlog::logger> log_;
    std::chrono::nanoseconds set_up_time_;
    Isa isa_{};
    Wisdom wisdom_;
    int64_t ways_ = all_ways;
    std::shared_ptr<const NodeMap> nodes_;
    std::vector<int> readable_; // as NodeMemory::readable
    Counters counters_;
    WorkerPool pool_;
    const std::shared_ptr<Running> running_ = std::make_shared<Running>();
    std::weak_ptr<ProgressThread> thread_;
    mutable std::mutex mutex_; // guards what follows, and who has taken which ends
    // By name, in the order of their declaration; no list is empty. Those of one name are committed together.
    std::unordered_map<std::string, std::vector<std::shared_ptr<Endpoint>>, NameHash, std::equal_to<>> endpoints_;
};

} // namespace dri
