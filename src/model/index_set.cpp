// IndexSet: keeps its lists in global order and searches them.
#include "model/index_set.hpp"

#include "base/sort_by_key.hpp"

#include <algorithm>
#include <utility>

namespace dri::model {

IndexSet::IndexSet(std::vector<Runs> lists, bool alternate) : lists_(std::move(lists)) {
    for (const Runs &r : lists_)
        num_runs_ += r.count;
    const auto before = [](const Runs &a, const Runs &b) { return a.global < b.global; };
    if (!std::is_sorted(lists_.begin(), lists_.end(), before))
        sort();
    if (!alternate)
        return;
    reach_.reserve(lists_.size());
    for (size_t i = 0; i < lists_.size(); ++i)
        reach_.push_back(std::max(i > 0 ? reach_.back() : 0, by_global(i).end()));
}

void IndexSet::sort() {
    // The keys are copied next to each other, because there may be many lists in any order.
    std::vector<std::pair<int64_t, uint32_t>> begins;
    begins.reserve(lists_.size());
    for (const Runs &r : lists_)
        begins.emplace_back(r.global, static_cast<uint32_t>(begins.size()));
    sort_by_key(begins, [](const auto &begin) { return begin.first; });
    by_global_.reserve(begins.size());
    for (const auto &[global, at] : begins)
        by_global_.push_back(at);
}

int64_t IndexSet::first() const { return empty() ? 0 : by_global(0).global; }

int64_t IndexSet::last() const {
    if (empty())
        return 0;
    return reach_.empty() ? by_global(lists_.size() - 1).end() : reach_.back();
}

std::optional<int64_t> IndexSet::local_of(int64_t global) const {
    size_t from = 0, to = lists_.size(); // search for the first list that starts behind the index
    while (from < to) {
        const size_t middle = (from + to) / 2;
        if (by_global(middle).global <= global)
            from = middle + 1;
        else
            to = middle;
    }
    // The list before it may have the index, and so may earlier ones that reach behind it.
    while (from > 0) {
        const Runs &r = by_global(--from);
        const int64_t run = r.count == 1 ? 0 : std::min((global - r.global) / r.global_step, r.count - 1);
        const int64_t inside = global - r.global - run * r.global_step;
        if (inside < r.size)
            return r.local + run * r.local_step + inside;
        if (reach_.empty() || from == 0 || reach_[from - 1] <= global)
            break;
    }
    return std::nullopt;
}

} // namespace dri::model
