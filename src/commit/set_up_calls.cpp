// Refuses a collective set-up call that another thread's call excludes.
#include "commit/set_up_calls.hpp"

#include "base/error.hpp"

#include <algorithm>

namespace dri::commit {

namespace {

const char *name_of(SetUpCall call) {
    switch (call) {
    case SetUpCall::dist_create: return "DRI_dist_create";
    case SetUpCall::commit: return "DRI_commit";
    case SetUpCall::query: return "DRI_xfer_query";
    }
    return "a collective call";
}

// This process is in both groups, so calls over groups without a second common process exchange no messages with
// each other's processes.
bool share_two(const model::Group &a, const model::Group &b) {
    int shared = 0;
    for (const int rank : a.ranks())
        shared += b.position(rank).has_value();
    return shared > 1;
}

} // namespace

SetUpCalls::Entry::Entry(SetUpCalls &calls, SetUpCall call, const model::Group &group)
    : calls_(calls), call_(call), group_(group) {
    const std::lock_guard lock(calls_.mutex_);
    for (const Entry *other : calls_.entries_) {
        const bool both_endpoints = call != SetUpCall::dist_create && other->call_ != SetUpCall::dist_create;
        if (both_endpoints || share_two(group, other->group_))
            fail(DRI_ERR_STATE,
                 "another thread of this process is in {} over the processes {}: repeat {} over {} when that call "
                 "has returned",
                 name_of(other->call_), model::to_text(other->group_), name_of(call), model::to_text(group));
    }
    calls_.entries_.push_back(this);
}

SetUpCalls::Entry::~Entry() {
    const std::lock_guard lock(calls_.mutex_);
    std::erase(calls_.entries_, this);
}

} // namespace dri::commit
