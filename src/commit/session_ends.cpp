// The ends of a session: declared, changed, taken by commits, and destroyed, by any threads.
#include "commit/session.hpp"

#include <algorithm>

namespace dri {

namespace {

void require_free(const Endpoint &end) {
    if (end.is_taken())
        fail(DRI_ERR_STATE,
             "the {} of transfer '{}' is in a commit or a query of another thread: this call may be repeated once "
             "that thread's DRI_commit or DRI_xfer_query has returned",
             role_name(end.declaration().role), end.declaration().name);
}

} // namespace

std::span<const std::shared_ptr<Endpoint>> Session::ends_named(std::string_view name) const {
    const auto found = ends_.find(name);
    if (found == ends_.end())
        return {};
    return found->second;
}

std::shared_ptr<Endpoint> Session::declare(Declaration declaration) {
    auto end = std::make_shared<Endpoint>(std::move(declaration), rank(), ways_);
    const Declaration &d = end->declaration();
    const std::lock_guard lock(mutex_);
    for (const auto &other : ends_named(d.name)) {
        const Declaration &o = other->declaration();
        // This end would belong to another transfer, and by name nobody could tell the two apart.
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
                 d.name, to_text(*o.dist));
    }
    ends_[d.name].push_back(end);
    return end;
}

void Session::set_attributes(Endpoint &end, const std::function<void(Attributes &)> &change) {
    const std::lock_guard lock(mutex_);
    Attributes changed = end.declaration().attributes;
    change(changed);
    require_free(end);
    end.set_attributes(changed);
}

void Session::destroy(const std::shared_ptr<Endpoint> &end) {
    {
        const std::lock_guard lock(mutex_);
        // Also one that is committed, until its commit has added the transfer to those that run.
        require_free(*end);
        if (!end->committed())
            return forget(end);
    }
    end->destroy();
    const std::lock_guard lock(mutex_);
    forget(end);
}

void Session::forget(const std::shared_ptr<Endpoint> &end) {
    const auto named = ends_.find(end->declaration().name);
    if (named == ends_.end())
        return;
    std::erase(named->second, end);
    if (!named->second.empty())
        return;
    ends_.erase(named);
    if (end->committed())
        running_->remove(end->transfer());
}

std::map<Digest, std::shared_ptr<const Distribution>> Session::distributions() const {
    const std::lock_guard lock(mutex_);
    std::map<Digest, std::shared_ptr<const Distribution>> out;
    for (const auto &[name, ends] : ends_)
        for (const auto &end : ends)
            out.emplace(end->declaration().dist->id(), end->declaration().dist);
    return out;
}

Session::TakenEnds::TakenEnds(Session &session) : session_(session) {
    const std::lock_guard lock(session.mutex_);
    for (const auto &[name, ends] : session.ends_)
        for (const auto &end : ends)
            if (!end->committed())
                ends_.push_back(end);
    for (const auto &end : ends_)
        end->count_takers(1);
}

Session::TakenEnds::~TakenEnds() {
    const std::lock_guard lock(session_.mutex_);
    for (const auto &end : ends_)
        end->count_takers(-1);
}

bool Session::TakenEnds::has(const std::shared_ptr<Endpoint> &end) const {
    return std::find(ends_.begin(), ends_.end(), end) != ends_.end();
}

std::shared_ptr<Transfer> Session::find(std::string_view name) const {
    const std::lock_guard lock(mutex_);
    const auto ends = ends_named(name);
    if (ends.empty())
        fail(DRI_ERR_ARG, "this process has no end of a transfer '{}'", name);
    return ends.front()->transfer();
}

} // namespace dri
