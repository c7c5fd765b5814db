// Adds, finds and removes endpoints under one lock.
#include "commit/endpoint_table.hpp"

#include "commit/rebind.hpp"
#include "exec/transfer.hpp"

#include <algorithm>

namespace dri::commit {

namespace {

void require_free(const Endpoint &endpoint) {
    if (endpoint.is_pinned())
        fail(DRI_ERR_STATE,
             "the {} of transfer '{}' is in a commit or a query of another thread: repeat this call when that "
             "thread's DRI_commit, DRI_commit_ends or DRI_xfer_query has returned",
             role_name(endpoint.declaration().role), endpoint.declaration().name);
}

// Endpoints of one name that are not committed count as one transfer.
bool of_one_transfer(const Endpoint &a, const Endpoint &b) {
    return a.committed() == b.committed() && (!a.committed() || a.transfer() == b.transfer());
}

} // namespace

std::span<const std::shared_ptr<Endpoint>> EndpointTable::named(std::string_view name) const {
    const auto found = endpoints_.find(name);
    if (found == endpoints_.end())
        return {};
    return found->second;
}

template <class Visit> void EndpointTable::for_each(const Visit &visit) const {
    for (const auto &[name, endpoints] : endpoints_)
        for (const auto &endpoint : endpoints)
            visit(endpoint);
}

// Whether endpoints of one name fit together is known when they are committed: a part of the program that commits
// its own endpoints alone may use a name that another part uses.
void EndpointTable::add(const std::shared_ptr<Endpoint> &endpoint) {
    const std::lock_guard lock(mutex_);
    endpoints_[endpoint->declaration().name].push_back(endpoint);
}

// `change` works on a copy, so an attribute that is refused changes nothing.
void EndpointTable::change(Endpoint &endpoint, const std::function<void(Attributes &)> &change) {
    const std::lock_guard lock(mutex_);
    Attributes changed = endpoint.declaration().attributes;
    change(changed);
    require_free(endpoint);
    endpoint.set_attributes(changed);
}

// An endpoint that is committed already stays pinned until its commit has added the transfer to the running ones.
bool EndpointTable::begin_destroying(const std::shared_ptr<Endpoint> &endpoint) {
    const std::lock_guard lock(mutex_);
    require_free(*endpoint);
    if (endpoint->committed())
        return true;
    erase(endpoint);
    return false;
}

bool EndpointTable::remove(const std::shared_ptr<Endpoint> &endpoint) {
    const std::lock_guard lock(mutex_);
    return erase(endpoint);
}

bool EndpointTable::erase(const std::shared_ptr<Endpoint> &endpoint) {
    const auto found = endpoints_.find(endpoint->declaration().name);
    if (found == endpoints_.end())
        return false;
    std::erase(found->second, endpoint);
    const auto is_of_it = [&](const std::shared_ptr<Endpoint> &other) {
        return of_one_transfer(*endpoint, *other);
    };
    const bool last = endpoint->committed() && std::none_of(found->second.begin(), found->second.end(), is_of_it);
    if (found->second.empty())
        endpoints_.erase(found);
    return last;
}

// A library inside the program commits its own endpoints alone, and calls them by their handles. Names are
// therefore those of the program.
std::shared_ptr<Endpoint> EndpointTable::find(std::string_view name) const {
    const std::lock_guard lock(mutex_);
    const auto endpoints = named(name);
    if (endpoints.empty())
        fail(DRI_ERR_ARG, "this process has no endpoint of a transfer '{}'", name);
    const auto program = std::find_if(endpoints.begin(), endpoints.end(), is_committed_by_all);
    if (program != endpoints.end())
        return *program;
    for (const auto &other : endpoints)
        if (!of_one_transfer(*endpoints.front(), *other))
            fail(DRI_ERR_STATE,
                 "this process has endpoints of several transfers '{}', and DRI_commit has committed none of "
                 "them: call one by its handle",
                 name);
    return endpoints.front();
}

std::map<Digest, std::shared_ptr<const model::Distribution>> EndpointTable::distributions() const {
    const std::lock_guard lock(mutex_);
    std::map<Digest, std::shared_ptr<const model::Distribution>> out;
    for_each([&](const std::shared_ptr<Endpoint> &endpoint) {
        out.emplace(endpoint->declaration().dist->id(), endpoint->declaration().dist);
    });
    return out;
}

// A declared endpoint counts from its declaration on: a commit may be under way.
void EndpointTable::refuse_use(const std::byte *begin, int64_t bytes) const {
    const auto check = [&](const std::shared_ptr<Endpoint> &endpoint) {
        if (uses(*endpoint, begin, bytes))
            fail(DRI_ERR_STATE, "the {} of transfer '{}' has a buffer in this memory: destroy the endpoint first",
                 role_name(endpoint->declaration().role), endpoint->declaration().name);
    };
    const std::lock_guard lock(mutex_);
    for_each(check);
    std::for_each(leaving_.begin(), leaving_.end(), check);
}

EndpointList EndpointTable::begin_leaving() {
    const std::lock_guard lock(mutex_);
    EndpointList all = leaving_;
    for_each([&](const std::shared_ptr<Endpoint> &endpoint) { all.push_back(endpoint); });
    leaving_ = all;
    endpoints_.clear();
    return all;
}

void EndpointTable::end_leaving(const std::shared_ptr<Endpoint> &endpoint) {
    const std::lock_guard lock(mutex_);
    std::erase(leaving_, endpoint);
}

} // namespace dri::commit
