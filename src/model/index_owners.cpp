// IndexedParts: which part has which index, if every part has a list.
#include "model/index_lists.hpp"

#include "base/sorted.hpp"

#include <algorithm>

namespace dri::model {

IndexedParts::IndexedParts(std::vector<IndexList> lists, int64_t n, const Overlap &overlap, KeepLists keep)
    : n_(n) {
    parts_.reserve(lists.size());
    for (IndexList &list : lists)
        parts_.emplace_back(std::move(list), n, overlap);
    // A few lists of runs cost little in any form. Overlap makes each index a block, and each block three lists.
    constexpr int64_t few = 4;
    // This many steps of a walk cost as much as one list does.
    const int64_t worth = overlap.none() ? 2 : 8;
    const auto no_pattern = [&](const auto &lists_of) {
        int64_t lists_of_runs = 0, max_lists = 0;
        Wide walked = 0;
        for (const IndexedPart &part : parts_) {
            const auto &own = lists_of(part);
            max_lists = std::max(max_lists, std::ssize(own));
            lists_of_runs += std::ssize(own);
            for (const Runs &r : own)
                walked += overlap.none() ? r.count : r.count * r.size;
        }
        return max_lists > few && worth * lists_of_runs > walked;
    };
    // Separating mixed lists creates no pattern, but may break an apparent one. Therefore both forms are tested.
    scattered_ = no_pattern([](const IndexedPart &part) -> const IndexList & { return part.list(); }) ||
                 no_pattern([](const IndexedPart &part) -> const IndexList & { return part.firsts().lists(); });
    if (keep == KeepLists::as_indices && scattered_)
        for (IndexedPart &part : parts_)
            part.shorten();
}

// A list of runs without a pattern is a stretch for each run. All others are one stretch as a whole.
const Stretches &IndexedParts::sorted() const {
    std::call_once(sorted_->once, [this] {
        fill(sorted_->stretches);
        sorted_->bytes = sorted_->stretches.heap_bytes();
    });
    return sorted_->stretches;
}

void IndexedParts::fill(Stretches &stretches) const {
    if (scattered_)
        return fill_runs(stretches);
    int64_t lists = 0, max = std::max(n_, size());
    for (const IndexedPart &p : parts_) {
        max = std::max(max, p.length());
        lists += std::ssize(p.list());
    }
    stretches.fill(lists, max, [&](const auto &add) { // in the order of parts
        for (int64_t c = 0; c < size(); ++c)
            for (const Runs &r : part(c).list())
                add(ListStretch{r.global, r.end(), c, r.local});
    });
}

void IndexedParts::fill_runs(Stretches &stretches) const {
    int64_t runs = 0, max = std::max(n_, size());
    for (const IndexedPart &p : parts_) {
        max = std::max(max, p.length());
        runs += p.num_runs();
    }
    stretches.fill(runs, max, [&](const auto &add) { // in the order of parts
        for (int64_t c = 0; c < size(); ++c)
            part(c).each_run([&](const Runs &r) { add(ListStretch{r.global, r.end(), c, r.local}); });
    });
}

void Stretches::find_furthest() {
    for (size_t i = 1; i < size(); ++i)
        if ((*this)[i].lo < (*this)[i - 1].hi) {
            furthest_.resize(size());
            reach(0, size());
            return;
        }
}

int64_t Stretches::reach(size_t begin, size_t end) {
    if (begin == end)
        return 0;
    const size_t middle = begin + (end - begin) / 2;
    return furthest_[middle] = std::max({(*this)[middle].hi, reach(begin, middle), reach(middle + 1, end)});
}

std::optional<int64_t> IndexedParts::first_owner(int64_t index) const {
    if (!scattered_) {
        const auto all = owners(index, index + 1);
        return all.empty() ? std::nullopt : std::optional(all.front());
    }
    std::call_once(first_->once, [this] {
        std::vector<OwnedStretch> stretches;
        const Stretches &all = sorted();
        stretches.reserve(all.size());
        for (size_t i = 0; i < all.size(); ++i)
            stretches.push_back({all[i].lo, all[i].hi, all[i].part});
        first_->owners = FirstOwners(stretches);
    });
    return first_->owners.of(index);
}

std::vector<int64_t> IndexedParts::owners(int64_t lo, int64_t hi) const {
    std::vector<int64_t> parts;
    sorted().each(lo, hi, [&](const ListStretch &s) {
        const auto [from, to] = runs_between(s, lo, hi);
        if (from < to)
            parts.push_back(s.part);
    });
    return sorted_once(std::move(parts));
}

const Runs &IndexedParts::list_of(const ListStretch &s) const {
    const IndexList &list = part(s.part).list();
    return list[list_at(list, s.block)];
}

std::pair<int64_t, int64_t> IndexedParts::runs_between(const ListStretch &s, int64_t lo, int64_t hi) const {
    const Runs &r = list_of(s);
    if (scattered_ || r.count == 1)
        return {0, 1};
    // The first run that ends behind lo, and the first one that starts at or behind hi.
    const int64_t from = lo < r.global + r.size ? 0 : (lo - r.global - r.size) / r.global_step + 1;
    const int64_t to = hi <= r.global ? 0 : (hi - 1 - r.global) / r.global_step + 1;
    return {from, std::min(to, r.count)};
}

} // namespace dri::model
