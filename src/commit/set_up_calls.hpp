// The collective set-up calls that threads of this process are in. Two calls over one group at the same time would
// wait for each other's processes, and a process cannot tell which of the two another one is in.
#pragma once

#include "model/group.hpp"

#include <mutex>
#include <vector>

namespace dri::commit {

enum class SetUpCall { dist_create, commit, query };

// Any thread may use it.
class SetUpCalls {
public:
    // A call in progress. The constructor fails with DRI_ERR_STATE if another thread is in a call that excludes
    // this one:
    // - A commit and a query exclude each other and themselves, because both are for all declared endpoints.
    // - Other calls exclude each other if their groups have two processes in common.
    class Entry {
    public:
        Entry(SetUpCalls &calls, SetUpCall call, const model::Group &group);
        ~Entry();
        Entry(const Entry &) = delete;
        Entry &operator=(const Entry &) = delete;

    private:
        friend class SetUpCalls;
        SetUpCalls &calls_;
        SetUpCall call_;
        const model::Group &group_;
    };

private:
    std::mutex mutex_;
    std::vector<const Entry *> entries_; // guarded by mutex_
};

} // namespace dri::commit
