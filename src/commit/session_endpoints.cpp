// The endpoints of a session. Any thread may declare, change, look up or destroy them while another one commits or
// queries; those of a commit or query are pinned, which makes calls that would change them fail with
// DRI_ERR_STATE.
#include "commit/session.hpp"
#include "exec/transfer.hpp"
#include "model/distribution.hpp"

#include <algorithm>

namespace dri::commit {

namespace {

void require_free(const Endpoint &endpoint) {
    if (endpoint.is_pinned())
        fail(DRI_ERR_STATE,
             "the {} of transfer '{}' is in a commit or a query of another thread: repeat this call when that "
             "thread's DRI_commit or DRI_xfer_query has returned",
             role_name(endpoint.declaration().role), endpoint.declaration().name);
}

} // namespace

std::span<const std::shared_ptr<Endpoint>> Session::endpoints_named(std::string_view name) const {
    const auto found = endpoints_.find(name);
    if (found == endpoints_.end())
        return {};
    return found->second;
}

// The checks that need no other endpoint are made outside the lock, in the constructor of Endpoint.
std::shared_ptr<Endpoint> Session::declare(Declaration declaration) {
    auto endpoint = std::make_shared<Endpoint>(std::move(declaration), rank(), ways_);
    const Declaration &d = endpoint->declaration();
    const std::lock_guard lock(mutex_);
    for (const auto &other : endpoints_named(d.name)) {
        const Declaration &o = other->declaration();
        // If another endpoint of the name is committed or being committed, this one would belong to another
        // transfer of the same name. find() could not distinguish the two.
        require_free(*other);
        if (other->committed())
            fail(DRI_ERR_STATE, "this process still has a committed {} of transfer '{}': destroy it first",
                 role_name(o.role), o.name);
        if (o.role != d.role)
            continue;
        // Several groups may be sinks of one name, and a process may be in more than one of them.
        const bool other_sink = d.role == Role::sink && o.dist->id() != d.dist->id();
        if (!other_sink)
            fail(DRI_ERR_STATE, "this process has declared a {} of transfer '{}' already: {}", role_name(d.role),
                 d.name, model::to_text(*o.dist));
    }
    endpoints_[d.name].push_back(endpoint);
    return endpoint;
}

// `change` works on a copy, so an attribute that is refused changes nothing.
void Session::set_attributes(Endpoint &endpoint, const std::function<void(Attributes &)> &change) {
    const std::lock_guard lock(mutex_);
    Attributes changed = endpoint.declaration().attributes;
    change(changed);
    require_free(endpoint);
    endpoint.set_attributes(changed);
}

// Destroying a committed endpoint may wait for other processes, so it happens without the lock.
void Session::destroy(const std::shared_ptr<Endpoint> &endpoint) {
    {
        const std::lock_guard lock(mutex_);
        // An endpoint that is committed already stays pinned until its commit has added the transfer to running_.
        require_free(*endpoint);
        if (!endpoint->committed())
            return forget(endpoint);
    }
    endpoint->destroy(deadline());
    const std::lock_guard lock(mutex_);
    forget(endpoint);
}

// With its last endpoint on this process, a transfer also leaves the list of running transfers.
void Session::forget(const std::shared_ptr<Endpoint> &endpoint) {
    const auto named = endpoints_.find(endpoint->declaration().name);
    if (named == endpoints_.end())
        return;
    std::erase(named->second, endpoint);
    if (!named->second.empty())
        return;
    endpoints_.erase(named);
    if (endpoint->committed())
        running_->remove(endpoint->transfer());
}

std::map<Digest, std::shared_ptr<const model::Distribution>> Session::distributions() const {
    const std::lock_guard lock(mutex_);
    std::map<Digest, std::shared_ptr<const model::Distribution>> out;
    for (const auto &[name, endpoints] : endpoints_)
        for (const auto &endpoint : endpoints)
            out.emplace(endpoint->declaration().dist->id(), endpoint->declaration().dist);
    return out;
}

// Endpoints are pinned under the same lock under which they are listed, so none can be destroyed in between.
Session::PinnedEndpoints::PinnedEndpoints(Session &session) : session_(session) {
    const std::lock_guard lock(session.mutex_);
    for (const auto &[name, endpoints] : session.endpoints_)
        for (const auto &endpoint : endpoints)
            if (!endpoint->committed())
                endpoints_.push_back(endpoint);
    for (const auto &endpoint : endpoints_)
        endpoint->add_pins(1);
}

Session::PinnedEndpoints::~PinnedEndpoints() {
    const std::lock_guard lock(session_.mutex_);
    for (const auto &endpoint : endpoints_)
        endpoint->add_pins(-1);
}

bool Session::PinnedEndpoints::has(const std::shared_ptr<Endpoint> &endpoint) const {
    return std::find(endpoints_.begin(), endpoints_.end(), endpoint) != endpoints_.end();
}

std::shared_ptr<Endpoint> Session::find(std::string_view name) const {
    const std::lock_guard lock(mutex_);
    const auto endpoints = endpoints_named(name);
    if (endpoints.empty())
        fail(DRI_ERR_ARG, "this process has no endpoint of a transfer '{}'", name);
    return endpoints.front();
}

} // namespace dri::commit
