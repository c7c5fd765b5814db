// Keeps, sorts and joins runs.
#include "planner/shared_runs.hpp"

#include "base/sort_by_key.hpp"

#include <algorithm>

namespace dri::planner {

template <class Int> void SharedRuns::append(std::vector<Packed<Int>> &all, const SharedRun &run) {
    if (all.size() == all.capacity())
        all.reserve(std::max<size_t>(16, all.size() + all.size() / 4));
    all.push_back({static_cast<Int>(run.source), static_cast<Int>(run.sink), static_cast<Int>(run.size)});
}

void SharedRuns::push_back(const SharedRun &run) {
    // So do their sums, because runs are joined.
    const bool fits = std::max(run.source, run.sink) + run.size <= int64_t{UINT32_MAX};
    if (fits && wide_.empty())
        return append(narrow_, run);
    for (const Packed<uint32_t> &before : narrow_)
        append(wide_, of(before));
    narrow_ = {};
    append(wide_, run);
}

template <class Int> void SharedRuns::join(std::vector<Packed<Int>> &all) {
    size_t joined = 0;
    for (size_t i = 1; i < all.size(); ++i) {
        const SharedRun last = of(all[joined]), run = of(all[i]);
        if (last.source + last.size == run.source && last.sink + last.size == run.sink)
            all[joined].size = static_cast<Int>(last.size + run.size);
        else
            all[++joined] = all[i];
    }
    all.resize(all.empty() ? 0 : joined + 1);
}

void SharedRuns::sort_and_join() {
    const auto sink = [](const auto &p) { return int64_t{p.sink}; };
    sort_by_distinct_key(narrow_, sink); // an element of the sink comes from one element of the source
    sort_by_distinct_key(wide_, sink);
    join(narrow_);
    join(wide_);
}

} // namespace dri::planner
