// The smallest index that two lists share. Lists of one period share none if they lie in different places of it.
// So only neighbours are compared, however many lists alternate.
#include "model/index_set.hpp"

#include <algorithm>
#include <map>

namespace dri::model {

namespace {

// Where a list lies: along the indices, or inside its period.
struct Place {
    int64_t lo, hi;
    size_t list;
};

bool starts_before(const Place &a, const Place &b) { return a.lo < b.lo; }

// Calls f(list, list) for each two places that meet.
template <class F> void each_meeting(std::vector<Place> places, const F &f) {
    std::sort(places.begin(), places.end(), starts_before);
    std::vector<Place> open;
    for (const Place &b : places) {
        std::erase_if(open, [&](const Place &a) { return a.hi <= b.lo; });
        for (const Place &a : open)
            f(a.list, b.list);
        open.push_back(b);
    }
}

// The same for each two places of different groups.
template <class F> void each_meeting_between(const std::map<int64_t, std::vector<Place>> &groups, const F &f) {
    std::vector<std::pair<int64_t, Place>> all;
    for (const auto &[period, group] : groups)
        for (const Place &place : group)
            all.emplace_back(period, place);
    std::sort(all.begin(), all.end(),
              [](const auto &a, const auto &b) { return starts_before(a.second, b.second); });
    std::map<int64_t, std::vector<Place>> open;
    for (const auto &[period, b] : all) {
        for (auto &[other, group] : open) {
            if (other == period)
                continue;
            std::erase_if(group, [lo = b.lo](const Place &a) { return a.hi <= lo; });
            for (const Place &a : group)
                f(a.list, b.list);
        }
        open[period].push_back(b);
    }
}

} // namespace

std::optional<int64_t> first_common(std::span<const Runs> lists) {
    std::optional<int64_t> first;
    const auto compare = [&](size_t i, size_t j) {
        const Runs &b = lists[j];
        for (const CommonRuns &c : intersect(lists.subspan(i, 1), lists.subspan(j, 1), 0)) {
            const int64_t at = c.b_local - b.local;
            const int64_t index = b.global + at / b.size * b.global_step + at % b.size;
            first = std::min(first.value_or(index), index);
        }
    };
    // By period; single runs have the period 0.
    std::map<int64_t, std::vector<Place>> inside, along;
    for (size_t i = 0; i < lists.size(); ++i) {
        const Runs &r = lists[i];
        const int64_t period = r.count > 1 ? r.global_step : 0, lo = period > 0 ? r.global % period : r.global;
        inside[period].push_back({lo, lo + r.size, i});
        if (period > 0 && lo + r.size > period) // continues at the start of the period
            inside[period].push_back({lo - period, lo - period + r.size, i});
        along[period].push_back({r.global, r.end(), i});
    }
    for (auto &[period, group] : inside)
        each_meeting(std::move(group), compare);
    if (along.size() > 1)
        each_meeting_between(along, compare);
    return first;
}

} // namespace dri::model
