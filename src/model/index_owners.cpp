// Who has which index, where every part has a list.
#include "model/index_lists.hpp"

#include "base/sort_by_key.hpp"
#include "base/sorted.hpp"

#include <algorithm>

namespace dri {

IndexedParts::IndexedParts(const std::vector<IndexList> &lists, int64_t n, const Overlap &overlap) : n_(n) {
    parts_.reserve(lists.size());
    for (const IndexList &list : lists)
        parts_.emplace_back(list, n, overlap);
    // A few lists of runs are no work in any form. Overlap makes a block of each index, and three lists of each.
    constexpr int64_t few = 4;
    const int64_t worth = overlap.none() ? 2 : 8; // so many steps of a walk cost what one list does
    int64_t lists_of_runs = 0, walked = 0, most = 0;
    for (const IndexedPart &part : parts_) {
        const auto own = static_cast<int64_t>(part.firsts().lists().size());
        most = std::max(most, own);
        lists_of_runs += own;
        walked += overlap.none() ? part.firsts().num_runs() : part.length();
    }
    scattered_ = most > few && worth * lists_of_runs > walked;
}

const IndexedParts::Sorted &IndexedParts::sorted() const {
    std::call_once(sorted_->once, [this] {
        auto &stretches = sorted_->stretches;
        int64_t runs = 0;
        for (const IndexedPart &p : parts_)
            runs += p.firsts().num_runs() + static_cast<int64_t>(p.repeats().size());
        stretches.reserve(static_cast<size_t>(runs));
        for (int64_t c = 0; c < size(); ++c)
            for (const auto *lists : {&part(c).firsts().lists(), &part(c).repeats()})
                for (const Runs &r : *lists)
                    for (int64_t k = 0; k < r.count; ++k) {
                        const int64_t lo = r.global + k * r.global_step;
                        stretches.push_back({lo, lo + r.size, c, r.local + k * r.local_step});
                    }
        sort_by_key(stretches, [](const Stretch &s) { return s.lo; }); // equal ones by part, as they are
        sorted_->furthest.resize(stretches.size());
        sorted_->reach(0, stretches.size());
    });
    return *sorted_;
}

int64_t IndexedParts::Sorted::reach(size_t begin, size_t end) {
    if (begin == end)
        return 0;
    const size_t middle = begin + (end - begin) / 2;
    return furthest[middle] = std::max({stretches[middle].hi, reach(begin, middle), reach(middle + 1, end)});
}

std::optional<int64_t> IndexedParts::first_owner(int64_t index) const {
    std::call_once(first_->once, [this] {
        std::vector<OwnedStretch> stretches;
        stretches.reserve(sorted().stretches.size());
        for (const Stretch &s : sorted().stretches)
            stretches.push_back({s.lo, s.hi, s.part});
        first_->owners = FirstOwners(stretches);
    });
    return first_->owners.of(index);
}

std::vector<int64_t> IndexedParts::owners(int64_t lo, int64_t hi) const {
    std::vector<int64_t> parts;
    each(lo, hi, [&](const Stretch &s) { parts.push_back(s.part); });
    return sorted_once(std::move(parts));
}

std::optional<IndexedParts::Fault> IndexedParts::find_fault() const {
    const auto &stretches = sorted().stretches;
    for (int64_t c = 0; c < size(); ++c)
        if (!part(c).repeats().empty())
            return Fault{part(c).repeats().front().global, c, c};
    int64_t end = 0;
    for (size_t i = 0; i < stretches.size(); ++i) {
        const Stretch &s = stretches[i];
        if (s.lo > end)
            return Fault{end};
        if (s.lo < end) // a part's own stretches are apart, so the one before is another's
            return Fault{s.lo, std::min(stretches[i - 1].part, s.part), std::max(stretches[i - 1].part, s.part)};
        end = s.hi;
    }
    if (end < n_)
        return Fault{end};
    return std::nullopt;
}

} // namespace dri
