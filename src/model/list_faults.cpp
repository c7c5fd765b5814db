// IndexedParts: which index is missing, or named twice.
#include "model/index_lists.hpp"

#include <algorithm>

namespace dri::model {

// If there are as many entries as indices and all differ, no index is missing. A bit per index decides that
// without sorting. If runs are long, sorting them costs less; the result is false in that case, too.
bool IndexedParts::tile() const {
    constexpr int64_t long_run = 16;
    int64_t all = 0, runs = 0;
    for (const IndexedPart &part : parts_) {
        if (__builtin_add_overflow(all, part.length(), &all))
            return false;
        runs += part.num_runs();
    }
    if (all != n_ || n_ / long_run > runs)
        return false;
    std::vector<bool> named(static_cast<size_t>(n_));
    bool twice = false;
    for (const IndexedPart &part : parts_)
        part.each_run([&](const Runs &r) {
            for (int64_t i = r.global; i < r.end(); ++i) {
                twice = twice || named[static_cast<size_t>(i)];
                named[static_cast<size_t>(i)] = true;
            }
        });
    return !twice;
}

// The stretches rise, so the first gap or overlap between neighbours is the first fault.
std::optional<IndexedParts::Fault> IndexedParts::first_fault(const Stretches &all) const {
    int64_t end = 0, last = -1;
    for (size_t i = 0; i < all.size(); ++i) {
        const ListStretch s = all[i];
        if (s.lo > end)
            return Fault{end};
        if (s.lo < end)
            return Fault{s.lo, std::min(last, s.part), std::max(last, s.part)};
        end = s.hi;
        last = s.part;
    }
    if (end < n_)
        return Fault{end};
    return std::nullopt;
}

namespace {

// Number of indices of a list of runs that are smaller than x.
int64_t count_below(const Runs &r, int64_t x) {
    if (x <= r.global)
        return 0;
    const int64_t run = r.count == 1 ? 0 : std::min((x - 1 - r.global) / r.global_step, r.count - 1);
    return run * r.size + std::min(x - r.global - run * r.global_step, r.size);
}

} // namespace

// Up to the first index that two lists have, the number of smaller indices tells whether any is missing.
std::optional<IndexedParts::Fault> IndexedParts::first_fault_of_lists() const {
    std::vector<Runs> lists;
    for (const IndexedPart &part : parts_)
        lists.insert(lists.end(), part.list().begin(), part.list().end());
    const auto twice = first_common(lists);
    const int64_t end = twice.value_or(n_);
    const auto complete = [&](int64_t x) {
        int64_t all = 0;
        for (const Runs &r : lists)
            all += count_below(r, x);
        return all == x;
    };
    if (complete(end)) {
        if (!twice)
            return std::nullopt;
        std::vector<int64_t> parts;
        each(*twice, *twice + 1, [&](const ListStretch &s) { parts.push_back(s.part); });
        std::sort(parts.begin(), parts.end());
        return Fault{*twice, parts[0], parts[1]};
    }
    int64_t whole = 0, missing = end; // complete up to the one, not up to the other
    while (missing - whole > 1) {
        const int64_t middle = whole + (missing - whole) / 2;
        (complete(middle) ? whole : missing) = middle;
    }
    return Fault{whole};
}

// Lists with a pattern are compared with each other, unless all their runs are few or cost less to sort.
std::optional<IndexedParts::Fault> IndexedParts::find_fault() const {
    if (scattered())
        return tile() ? std::nullopt : first_fault(sorted());
    constexpr int64_t few = 1 << 22;
    Wide lists = 0, runs = 0;
    for (const IndexedPart &part : parts_)
        for (const Runs &r : part.list())
            ++lists, runs += r.count;
    if (runs > 2 * lists && (runs > few || runs > lists * lists / 2))
        return first_fault_of_lists();
    Stretches all;
    fill_runs(all);
    return first_fault(all);
}

} // namespace dri::model
