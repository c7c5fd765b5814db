#include "model/index_set.hpp"

#include <algorithm>
#include <numeric>

namespace dri {

IndexSet::IndexSet(std::vector<Runs> lists) : lists_(std::move(lists)) {
    for (const Runs &r : lists_) {
        owned_ += r.size * r.count;
        num_runs_ += r.count;
        extent_ = std::max(extent_, r.local + (r.count - 1) * r.local_step + r.size);
    }
    const auto before = [](const Runs &a, const Runs &b) { return a.global < b.global; };
    if (std::is_sorted(lists_.begin(), lists_.end(), before))
        return;
    by_global_.resize(lists_.size());
    std::iota(by_global_.begin(), by_global_.end(), 0u);
    std::sort(by_global_.begin(), by_global_.end(),
              [&](uint32_t a, uint32_t b) { return before(lists_[a], lists_[b]); });
}

int64_t IndexSet::first() const { return empty() ? 0 : by_global(0).global; }

int64_t IndexSet::last() const { return empty() ? 0 : by_global(lists_.size() - 1).end(); }

namespace {

// Position of `at` inside `count` runs of `size` at period `step` from `start` on: which run and where in it.
struct Place {
    int64_t run, inside;
};

std::optional<Place> place(int64_t at, int64_t start, int64_t size, int64_t step, int64_t count) {
    if (at < start)
        return std::nullopt;
    const int64_t run = count == 1 ? 0 : std::min((at - start) / step, count - 1);
    const int64_t inside = at - start - run * step;
    if (inside >= size)
        return std::nullopt;
    return Place{run, inside};
}

} // namespace

std::optional<int64_t> IndexSet::local_of(int64_t global) const {
    size_t from = 0, to = lists_.size(); // the first list that starts behind the index
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
    const auto p = place(global, r.global, r.size, r.global_step, r.count);
    if (!p)
        return std::nullopt;
    return r.local + p->run * r.local_step + p->inside;
}

std::optional<int64_t> IndexSet::global_of(int64_t local) const {
    const auto after = std::upper_bound(lists_.begin(), lists_.end(), local,
                                        [](int64_t l, const Runs &r) { return l < r.local; });
    if (after == lists_.begin())
        return std::nullopt;
    const Runs &r = *(after - 1);
    const auto p = place(local, r.local, r.size, r.local_step, r.count);
    if (!p)
        return std::nullopt;
    return r.global + p->run * r.global_step + p->inside;
}

} // namespace dri
