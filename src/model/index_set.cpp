// IndexSet: keeps its lists in global order and searches them.
#include "model/index_set.hpp"

#include "base/sort_by_key.hpp"

#include <algorithm>
#include <utility>

namespace dri::model {

IndexSet::IndexSet(std::vector<Runs> lists) : lists_(std::move(lists)) {
    for (const Runs &r : lists_)
        num_runs_ += r.count;
    const auto before = [](const Runs &a, const Runs &b) { return a.global < b.global; };
    if (std::is_sorted(lists_.begin(), lists_.end(), before))
        return;
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

int64_t IndexSet::last() const { return empty() ? 0 : by_global(lists_.size() - 1).end(); }

std::optional<int64_t> IndexSet::local_of(int64_t global) const {
    size_t from = 0, to = lists_.size(); // search for the first list that starts behind the index
    while (from < to) {
        const size_t middle = (from + to) / 2;
        if (by_global(middle).global <= global)
            from = middle + 1;
        else
            to = middle;
    }
    if (from == 0)
        return std::nullopt;
    const Runs &r = by_global(from - 1);
    const int64_t run = r.count == 1 ? 0 : std::min((global - r.global) / r.global_step, r.count - 1);
    const int64_t inside = global - r.global - run * r.global_step;
    if (inside >= r.size)
        return std::nullopt;
    return r.local + run * r.local_step + inside;
}

} // namespace dri::model
