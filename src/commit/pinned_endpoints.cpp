// Pins endpoints under the same lock under which they are listed, so none can be destroyed in between.
#include "commit/pinned_endpoints.hpp"

#include <algorithm>
#include <set>

namespace dri::commit {

PinnedEndpoints::~PinnedEndpoints() {
    const std::lock_guard lock(table_.mutex_);
    for (const auto &endpoint : endpoints_)
        endpoint->add_pins(-1);
}

void PinnedEndpoints::pin_all() {
    pin_declared([](const std::string &) { return true; });
}

void PinnedEndpoints::pin_named(const std::set<std::string, std::less<>> &names) {
    pin_declared([&](const std::string &name) { return names.contains(name); });
}

void PinnedEndpoints::pin_declared(const std::function<bool(const std::string &)> &asked) {
    const std::lock_guard lock(table_.mutex_);
    EndpointList declared;
    for (const auto &[name, endpoints] : table_.endpoints_)
        for (const auto &endpoint : endpoints) {
            if (endpoint->committed() || !asked(name))
                continue;
            declared.push_back(endpoint);
            const auto old = std::find_if(endpoints.begin(), endpoints.end(), is_committed_by_all);
            if (old != endpoints.end())
                fail(DRI_ERR_STATE,
                     "this process still has a committed {} of transfer '{}': destroy it before a {} of that name "
                     "is committed, or commit that one with DRI_commit_ends",
                     role_name((*old)->declaration().role), name, role_name(endpoint->declaration().role));
        }
    for (const auto &endpoint : declared)
        endpoint->add_pins(1);
    endpoints_ = std::move(declared);
}

void PinnedEndpoints::pin(EndpointList endpoints) {
    auto sorted = endpoints;
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end()) {
        const auto first = std::find(endpoints.begin(), endpoints.end(), *twice);
        const auto second = std::find(first + 1, endpoints.end(), *twice);
        fail(DRI_ERR_ARG, "entries {} and {} are the same endpoint, a {} of transfer '{}'",
             first - endpoints.begin(), second - endpoints.begin(), role_name((*twice)->declaration().role),
             (*twice)->declaration().name);
    }
    const std::lock_guard lock(table_.mutex_);
    for (const auto &endpoint : endpoints)
        check_one(endpoint);
    for (const auto &endpoint : endpoints)
        endpoint->add_pins(1);
    endpoints_ = std::move(endpoints);
}

void PinnedEndpoints::check(const EndpointList &endpoints) const {
    const std::lock_guard lock(table_.mutex_);
    for (const auto &endpoint : endpoints)
        check_one(endpoint);
}

// A thread that destroys an endpoint removes it from the table a moment before its handle.
void PinnedEndpoints::check_one(const std::shared_ptr<Endpoint> &endpoint) const {
    const Declaration &d = endpoint->declaration();
    if (endpoint->committed())
        fail(DRI_ERR_STATE, "the {} of transfer '{}' is committed already", role_name(d.role), d.name);
    const auto named = table_.named(d.name);
    if (std::find(named.begin(), named.end(), endpoint) == named.end())
        fail(DRI_ERR_HANDLE, "the {} of transfer '{}' has been destroyed by another thread", role_name(d.role),
             d.name);
}

EndpointList PinnedEndpoints::others() const {
    const std::lock_guard lock(table_.mutex_);
    const std::set<std::shared_ptr<Endpoint>> here(endpoints_.begin(), endpoints_.end());
    EndpointList others;
    for (const auto &[name, endpoints] : table_.endpoints_)
        for (const auto &endpoint : endpoints)
            if (!here.contains(endpoint))
                others.push_back(endpoint);
    return others;
}

} // namespace dri::commit
