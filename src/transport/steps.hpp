// Counts the collective steps that a process has begun, per group and tag, so that a message left over from
// a step that failed is known as such, and is never taken for one of a later step.
#pragma once

#include "base/wire.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

namespace dri {

class Steps {
public:
    // The number of the step that begins now.
    uint64_t begin(const Digest &group, int tag) {
        std::lock_guard lock(mutex_);
        return counts_[{group, tag}]++;
    }
    uint64_t begun(const Digest &group, int tag) const {
        std::lock_guard lock(mutex_);
        const auto at = counts_.find({group, tag});
        return at == counts_.end() ? 0 : at->second;
    }
    // Steps before `next` are over, though this process took no part in all of them.
    void skip_to(const Digest &group, int tag, uint64_t next) {
        std::lock_guard lock(mutex_);
        uint64_t &count = counts_[{group, tag}];
        count = std::max(count, next);
    }

private:
    mutable std::mutex mutex_;
    std::map<std::pair<Digest, int>, uint64_t> counts_;
};

} // namespace dri
