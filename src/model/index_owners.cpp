// IndexedParts: which part has which index, if every part has a list.
#include "model/index_lists.hpp"

#include "base/sorted.hpp"

#include <algorithm>

namespace dri::model {

IndexedParts::IndexedParts(const std::vector<IndexList> &lists, int64_t n, const Overlap &overlap) : n_(n) {
    parts_.reserve(lists.size());
    for (const IndexList &list : lists)
        parts_.emplace_back(list, n, overlap);
    // A few lists of runs cost little in any form. Overlap makes each index a block, and each block three lists.
    constexpr int64_t few = 4;
    // This many steps of a walk cost as much as one list does.
    const int64_t worth = overlap.none() ? 2 : 8;
    const auto no_pattern = [&](const auto &lists_of) {
        int64_t lists_of_runs = 0, walked = 0, max_lists = 0;
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
}

const Stretches &IndexedParts::sorted() const {
    std::call_once(sorted_->once, [this] {
        int64_t runs = 0, max = std::max(n_, size());
        for (const IndexedPart &p : parts_) {
            max = std::max(max, p.length());
            for (const Runs &r : p.list())
                runs += r.count;
        }
        sorted_->stretches.fill(runs, max, [&](const auto &add) { // in the order of parts
            for (int64_t c = 0; c < size(); ++c)
                for (const Runs &r : part(c).list())
                    for (int64_t k = 0; k < r.count; ++k) {
                        const int64_t lo = r.global + k * r.global_step;
                        add(ListStretch{lo, lo + r.size, c, r.local + k * r.local_step});
                    }
        });
    });
    return sorted_->stretches;
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
    each(lo, hi, [&](const ListStretch &s) { parts.push_back(s.part); });
    return sorted_once(std::move(parts));
}

// If there are as many entries as indices and all differ, no index is missing. A bit per index decides that
// without sorting. If runs are long, sorting them costs less; the result is false in that case, too.
bool IndexedParts::tile() const {
    constexpr int64_t long_run = 16;
    int64_t all = 0, runs = 0;
    for (const IndexedPart &part : parts_) {
        if (__builtin_add_overflow(all, part.length(), &all))
            return false;
        for (const Runs &r : part.list())
            runs += r.count;
    }
    if (all != n_ || n_ / long_run > runs)
        return false;
    std::vector<bool> named(static_cast<size_t>(n_));
    for (const IndexedPart &part : parts_)
        for (const Runs &r : part.list())
            for (int64_t k = 0; k < r.count; ++k)
                for (int64_t i = 0; i < r.size; ++i) {
                    const auto index = static_cast<size_t>(r.global + k * r.global_step + i);
                    if (named[index])
                        return false;
                    named[index] = true;
                }
    return true;
}

// The stretches rise, so the first gap or overlap between neighbours is the first fault.
std::optional<IndexedParts::Fault> IndexedParts::find_fault() const {
    if (scattered() && tile())
        return std::nullopt;
    int64_t end = 0, last = -1;
    const Stretches &all = sorted();
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

} // namespace dri::model
