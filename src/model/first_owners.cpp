// FirstOwners: turns overlapping stretches into disjoint ranges.
#include "model/first_owners.hpp"

#include <algorithm>
#include <limits>
#include <queue>

namespace dri::model {

FirstOwners::FirstOwners(std::span<const OwnedStretch> stretches) {
    // A sweep along the indices. `open` holds the stretches that have started, with that of the lowest part on
    // top. A stretch that has ended is removed when it reaches the top.
    const auto later = [](const OwnedStretch *a, const OwnedStretch *b) { return a->part > b->part; };
    std::priority_queue<const OwnedStretch *, std::vector<const OwnedStretch *>, decltype(later)> open(later);
    size_t next = 0;
    for (int64_t at = 0; next < stretches.size() || !open.empty();) {
        for (; next < stretches.size() && stretches[next].lo <= at; ++next)
            open.push(&stretches[next]);
        while (!open.empty() && open.top()->hi <= at)
            open.pop();
        const int64_t begin = next < stretches.size() ? stretches[next].lo : std::numeric_limits<int64_t>::max();
        if (open.empty()) {
            at = begin;
            continue;
        }
        const int64_t part = open.top()->part, end = std::min(open.top()->hi, begin);
        if (!ranges_.empty() && ranges_.back().hi == at && ranges_.back().part == part)
            ranges_.back().hi = end;
        else
            ranges_.push_back({at, end, part});
        at = end;
    }
}

std::optional<int64_t> FirstOwners::of(int64_t index) const {
    const auto behind = std::upper_bound(ranges_.begin(), ranges_.end(), index,
                                         [](int64_t i, const OwnedStretch &r) { return i < r.lo; });
    if (behind == ranges_.begin() || (behind - 1)->hi <= index)
        return std::nullopt;
    return (behind - 1)->part;
}

} // namespace dri::model
