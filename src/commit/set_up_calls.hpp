// The collective set-up calls that threads of this process are in. Two calls over one group at the same time would
// wait for each other's processes, and a process cannot tell which of the two another one is in.
#pragma once

#include "model/group.hpp"
#include "transport/transport.hpp"

#include <mutex>
#include <string_view>
#include <vector>

namespace dri::commit {

// Any thread may use it. It outlives its entries.
class SetUpCalls {
public:
    // A call in progress. The constructor fails with DRI_ERR_STATE if another thread is in a call that excludes
    // this one:
    // - A commit, a query and the end of the library exclude each other and themselves, because they are for
    //   endpoints of the process.
    // - Other calls exclude each other if their groups have two processes in common.
    // The processes that may wait for this one in a refused call receive the reason when the call that excludes it
    // ends. See announce_refusal().
    class Entry {
    public:
        // call: as in Party. group: in rising order; stays valid as long as the entry.
        Entry(SetUpCalls &calls, transport::Transport &transport, std::string_view call,
              const model::Group &group);
        ~Entry();
        Entry(const Entry &) = delete;
        Entry &operator=(const Entry &) = delete;

    private:
        struct Refused {
            std::string_view call;
            model::Group group;
        };
        bool excludes(std::string_view call, const model::Group &group) const;
        void keep_refused(std::string_view call, const model::Group &group);
        void announce(const Refused &refused) const;

        SetUpCalls &calls_;
        transport::Transport &transport_;
        std::string_view call_;
        const model::Group &group_;
        std::vector<Refused> refused_; // each once; guarded by the mutex of `calls_`
    };

private:
    std::mutex mutex_;
    std::vector<Entry *> entries_; // guarded by mutex_
};

} // namespace dri::commit
