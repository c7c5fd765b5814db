// Who has which index, where every part has a list.
#include "model/index_lists.hpp"

#include <algorithm>

namespace dri {

IndexedParts::IndexedParts(const std::vector<IndexList> &lists, int64_t n, const Overlap &overlap) : n_(n) {
    parts_.reserve(lists.size());
    for (const IndexList &list : lists)
        parts_.emplace_back(list, n, overlap);
    int64_t lists_of_runs = 0, runs = 0;
    bool repeats = false;
    for (const IndexedPart &part : parts_) {
        lists_of_runs += static_cast<int64_t>(part.firsts().lists().size());
        runs += part.firsts().num_runs();
        repeats = repeats || !part.repeats().empty();
    }
    scattered_ = 2 * lists_of_runs > runs;
    stretches_suffice_ = scattered_ && !repeats && overlap.none();
}

const IndexedParts::Sorted &IndexedParts::sorted() const {
    std::call_once(sorted_->once, [this] {
        auto &stretches = sorted_->stretches;
        for (int64_t c = 0; c < size(); ++c)
            for (const Runs &r : part(c).firsts().lists())
                for (int64_t k = 0; k < r.count; ++k) {
                    const int64_t lo = r.global + k * r.global_step;
                    stretches.push_back({lo, lo + r.size, c, r.local + k * r.local_step});
                }
        std::sort(stretches.begin(), stretches.end(),
                  [](const Stretch &a, const Stretch &b) { return a.lo != b.lo ? a.lo < b.lo : a.part < b.part; });
        for (const Stretch &s : stretches)
            sorted_->furthest.push_back(
                std::max(s.hi, sorted_->furthest.empty() ? s.hi : sorted_->furthest.back()));
    });
    return *sorted_;
}

std::vector<int64_t> IndexedParts::owners(int64_t lo, int64_t hi) const {
    std::vector<int64_t> parts;
    each(lo, hi, [&](const Stretch &s) { parts.push_back(s.part); });
    std::sort(parts.begin(), parts.end());
    parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
    return parts;
}

std::optional<IndexedParts::Fault> IndexedParts::find_fault() const {
    const auto &[once, stretches, furthest] = sorted();
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
