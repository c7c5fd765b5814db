// Refuses a collective set-up call that another thread's call excludes.
#include "commit/set_up_calls.hpp"

#include "base/error.hpp"
#include "transport/tree_step.hpp"

#include <algorithm>

namespace dri::commit {

namespace {

// All other calls are for the endpoints of the process.
bool is_for_endpoints(std::string_view call) { return call != "DRI_dist_create" && call != "DRI_group_gather"; }

std::vector<int> common_ranks(const model::Group &a, const model::Group &b) {
    std::vector<int> common;
    std::set_intersection(a.ranks().begin(), a.ranks().end(), b.ranks().begin(), b.ranks().end(),
                          std::back_inserter(common));
    return common;
}

} // namespace

// This process is in both groups, so calls over groups without a second common process exchange no messages with
// each other's processes.
bool SetUpCalls::Entry::excludes(std::string_view call, const model::Group &group) const {
    return (is_for_endpoints(call) && is_for_endpoints(call_)) || common_ranks(group, group_).size() > 1;
}

void SetUpCalls::Entry::keep_refused(std::string_view call, const model::Group &group) {
    const bool is_kept = std::any_of(refused_.begin(), refused_.end(),
                                     [&](const Refused &r) { return r.call == call && r.group == group; });
    if (!is_kept)
        refused_.push_back({call, group});
}

// As long as this call goes on, its threads alone exchange messages with the processes of its group.
void SetUpCalls::Entry::announce(const Refused &refused) const {
    const std::string reason = fmt::format(
        "process {} has refused an earlier {} of these processes, because another of its threads was in {} over "
        "the processes {}, and has not repeated it",
        transport_.rank(), refused.call, call_, model::to_text(group_));
    transport::announce_refusal(transport_, {refused.call, "", refused.group.ranks(), {}}, reason, group_.ranks());
}

SetUpCalls::Entry::Entry(SetUpCalls &calls, transport::Transport &transport, std::string_view call,
                         const model::Group &group)
    : calls_(calls), transport_(transport), call_(call), group_(group) {
    const std::string shown = fmt::format("{} over the processes {}", call_, model::to_text(group_));
    const std::lock_guard lock(calls_.mutex_);
    for (Entry *other : calls_.entries_)
        if (other->excludes(call, group)) {
            other->keep_refused(call, group);
            fail(DRI_ERR_STATE,
                 "another thread of this process is in {} over the processes {}: repeat {} over {} when that call "
                 "has returned",
                 other->call_, model::to_text(other->group_), call, model::to_text(group));
        }
    calls_.entries_.push_back(this);
    transport_.presence().show(this, shown);
}

// The lock is held meanwhile: if a refused call is repeated, its messages must follow the reason.
SetUpCalls::Entry::~Entry() {
    transport_.presence().hide(this);
    const std::lock_guard lock(calls_.mutex_);
    std::erase(calls_.entries_, this);
    for (const Refused &refused : refused_)
        try {
            announce(refused);
        } catch (...) { // the others then wait without a reason
        }
}

} // namespace dri::commit
