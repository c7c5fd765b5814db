#include "planner/partners.hpp"

#include "base/checked.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <unordered_map>

namespace dri {

namespace {

// What a search along one dimension of the other side finds.
using Owners = std::vector<int64_t> (Cut::*)(int64_t lo, int64_t hi) const;

// Coordinates of parts that may have an index of the runs, in rising order. Index i of the cut is index i + shift
// of the runs. Looks at runs one by one only where they are few: runs of a list look alike modulo the cut's
// period, and a list with more runs than a contiguous cut has parts names all parts that it spans.
std::vector<int64_t> candidates(const std::vector<Runs> &runs, const Cut &cut, Owners search, int64_t shift) {
    std::vector<int64_t> coords;
    const auto add = [&](int64_t lo, int64_t hi) {
        lo = std::max<int64_t>(0, lo - shift);
        hi = std::min(cut.size(), hi - shift);
        if (lo >= hi)
            return;
        const auto found = (cut.*search)(lo, hi);
        coords.insert(coords.end(), found.begin(), found.end());
    };
    bool skipped = false;
    for (const Runs &r : runs) {
        int64_t from = 0, to = r.count; // the runs that reach into the cut
        if (r.count > 1) {
            if (const int64_t before = shift - r.global - r.size; before >= 0)
                from = before / r.global_step + 1;
            to = std::min(to, ceil_div(std::max<int64_t>(shift + cut.size() - r.global, 0), r.global_step));
        }
        int64_t walk = to - from;
        // One more than a period has: the first one may reach in with its end alone.
        if (!cut.contiguous() && r.count > 1)
            walk = std::min(walk, cut.period() / std::gcd(cut.period(), r.global_step) + 1);
        skipped = skipped || walk < to - from;
        if (walk > cut.nparts()) {
            add(r.global + from * r.global_step, r.global + (to - 1) * r.global_step + r.size);
            continue;
        }
        for (int64_t k = from; k < from + walk; ++k)
            add(r.global + k * r.global_step, r.global + k * r.global_step + r.size);
    }
    // At the array's edges overlap comes from elsewhere, whatever the period says.
    if (const Overlap &overlap = cut.overlap(); skipped && !overlap.none()) {
        add(shift, shift + std::max<int64_t>(overlap.right, 1));
        add(shift + cut.size() - std::max<int64_t>(overlap.left, 1), shift + cut.size());
    }
    std::sort(coords.begin(), coords.end());
    coords.erase(std::unique(coords.begin(), coords.end()), coords.end());
    return coords;
}

void walk_grid(const Distribution &other, const std::vector<std::vector<DimPartner>> &lists,
               const PartnerFunction &f) {
    const size_t ndims = lists.size();
    for (const auto &list : lists)
        if (list.empty())
            return;
    std::vector<size_t> at(ndims, 0);
    Dims coords(ndims, 0);
    std::vector<std::vector<CommonRuns>> common(ndims);
    for (size_t changed = 0;;) {
        for (size_t d = changed; d < ndims; ++d) {
            coords[d] = lists[d][at[d]].coord;
            common[d] = lists[d][at[d]].common;
        }
        f(other.part_of_coords(coords), common);
        size_t d = ndims;
        while (d > 0 && ++at[d - 1] == lists[d - 1].size())
            at[--d] = 0;
        if (d == 0)
            return;
        changed = d - 1;
    }
}

std::vector<DimPartner> in_order(std::unordered_map<int64_t, std::vector<CommonRuns>> &&found) {
    std::vector<DimPartner> partners;
    partners.reserve(found.size());
    for (auto &[part, common] : found)
        partners.push_back({part, one_by_one(common)});
    std::sort(partners.begin(), partners.end(),
              [](const DimPartner &a, const DimPartner &b) { return a.coord < b.coord; });
    return partners;
}

// Partners among lists of indices, found from each of my runs. Index i of the lists is index i + shift of mine.
std::vector<DimPartner> partners_of_lists(const std::vector<Runs> &mine, const IndexedParts &lists, int64_t size,
                                          int64_t shift, bool mine_is_source) {
    std::unordered_map<int64_t, std::vector<CommonRuns>> found;
    for (const Runs &r : mine)
        for (int64_t k = 0; k < r.count; ++k) {
            const int64_t begin = r.global + k * r.global_step - shift, local = r.local + k * r.local_step;
            const int64_t lo = std::max<int64_t>(begin, 0), hi = std::min(begin + r.size, size);
            if (lo >= hi)
                continue;
            lists.each(lo, hi, [&](const IndexedParts::Stretch &s) {
                const int64_t from = std::max(lo, s.lo), to = std::min(hi, s.hi);
                const int64_t here = local + (from - begin), there = s.block + (from - s.lo);
                found[s.part].push_back(
                    {mine_is_source ? here : there, mine_is_source ? there : here, to - from, {}, {}});
            });
        }
    return in_order(std::move(found));
}

// Partners of a part whose runs have no pattern, in a cut that has one: each run asks for itself. Index i of the
// cut is index i + shift of the runs. common(run, part): what they share.
template <class Common>
std::vector<DimPartner> partners_of_runs(const std::vector<Runs> &mine, const Cut &cut, Owners search,
                                         int64_t shift, const Common &common) {
    std::unordered_map<int64_t, std::vector<CommonRuns>> found;
    for (const Runs &r : mine)
        for (int64_t k = 0; k < r.count; ++k) {
            const Runs run{r.global + k * r.global_step, r.size, 1, 0, r.local + k * r.local_step, 0};
            const int64_t lo = std::max<int64_t>(run.global - shift, 0);
            const int64_t hi = std::min(run.global + run.size - shift, cut.size());
            if (lo >= hi)
                continue;
            for (int64_t part : (cut.*search)(lo, hi)) {
                const auto shared = common(run, part);
                if (!shared.empty())
                    found[part].insert(found[part].end(), shared.begin(), shared.end());
            }
        }
    return in_order(std::move(found));
}

// What my part shares with the part at one position of the other side, along one dimension.
using CommonFunction = std::function<std::vector<CommonRuns>(size_t dim, const PartAxis &theirs)>;
using Search = std::vector<int> (Boxes::*)(std::span<const int64_t> lo, std::span<const int64_t> hi) const;

// Positions whose boxes meet the smallest box around my runs. Index i of mine is index i - shift of the other
// side.
std::vector<int> positions_near(const std::vector<std::vector<Runs>> &runs, const Dims &shift,
                                const Distribution &other, Search search) {
    if (runs.empty()) { // an array of one element, which all hold
        std::vector<int> all(static_cast<size_t>(other.group().size()));
        std::iota(all.begin(), all.end(), 0);
        return all;
    }
    Dims lo, hi;
    for (size_t d = 0; d < runs.size(); ++d) {
        int64_t first = INT64_MAX, last = INT64_MIN;
        for (const Runs &r : runs[d]) {
            first = std::min(first, r.global);
            last = std::max(last, r.global + (r.count - 1) * r.global_step + r.size);
        }
        lo.push_back(std::max<int64_t>(first == INT64_MAX ? 0 : first - shift[d], 0));
        hi.push_back(std::min(last == INT64_MIN ? 0 : last - shift[d], other.gdo().sizes[d]));
        if (lo.back() >= hi.back())
            return {};
    }
    return (other.boxes().*search)({lo.begin(), lo.size()}, {hi.begin(), hi.size()});
}

void walk_boxes(const std::vector<int> &positions, const Distribution &other, const CommonFunction &common_along,
                const PartnerFunction &f) {
    for (int position : positions) {
        const std::vector<PartAxis> theirs = other.axes(position);
        std::vector<std::vector<CommonRuns>> common;
        for (size_t d = 0; d < theirs.size(); ++d) {
            common.push_back(common_along(d, theirs[d]));
            if (common.back().empty())
                break;
        }
        if (common.empty() || (common.size() == theirs.size() && !common.back().empty()))
            f(position, common);
    }
}

} // namespace

std::vector<DimPartner> sinks_along(const IndexSet &source, const Cut &sink, int64_t shift, bool scattered) {
    const IndexedParts *lists = sink.indexed();
    if (scattered && lists && lists->scattered() && !lists->repeats() && sink.overlap().none())
        return partners_of_lists(source.lists(), *lists, sink.size(), shift, true);
    if (scattered && !lists) {
        std::unordered_map<int64_t, PartAxis> axes;
        return partners_of_runs(source.lists(), sink, &Cut::holders, shift, [&](const Runs &run, int64_t part) {
            const auto axis = axes.try_emplace(part).first;
            if (axis->second.extent == 0)
                axis->second = sink.axis(part);
            return common_runs(IndexSet({run}), axis->second, shift);
        });
    }
    std::vector<DimPartner> partners;
    for (int64_t c : candidates(source.lists(), sink, &Cut::holders, shift))
        if (auto common = common_runs(source, sink.axis(c), shift, scattered); !common.empty())
            partners.push_back({c, std::move(common)});
    return partners;
}

std::vector<DimPartner> sources_along(const PartAxis &sink, const Cut &source, int64_t shift, bool scattered) {
    const IndexedParts *lists = source.indexed();
    const bool repeats = std::any_of(sink.pads.begin(), sink.pads.end(), [](const Pad &p) { return p.copy_of; });
    if (scattered && lists && lists->scattered() && !lists->repeats() && source.overlap().none() && !repeats)
        return partners_of_lists(wanted_runs(sink), *lists, source.size(), -shift, false);
    if (scattered && !lists && !repeats) {
        std::unordered_map<int64_t, IndexSet> parts;
        return partners_of_runs(wanted_runs(sink), source, &Cut::owners, -shift,
                                [&](const Runs &run, int64_t part) {
                                    const auto owned = parts.try_emplace(part).first;
                                    if (owned->second.empty())
                                        owned->second = source.axis(part).owned;
                                    return intersect(owned->second.lists(), std::span(&run, 1), shift);
                                });
    }
    std::vector<DimPartner> partners;
    for (int64_t c : candidates(wanted_runs(sink), source, &Cut::owners, -shift))
        if (auto common = common_runs(source.axis(c).owned, sink, shift, scattered); !common.empty())
            partners.push_back({c, std::move(common)});
    return partners;
}

bool is_scattered(const Distribution &source, const Distribution &sink, size_t dim) {
    const auto has_lists = [dim](const Distribution &dist) {
        return dist.is_grid() && dist.cut(dim).indexed() && dist.cut(dim).indexed()->scattered();
    };
    return has_lists(source) || has_lists(sink);
}

void for_each_sink(const PlacedPart &mine, const Distribution &source, const Distribution &sink,
                   const PartnerFunction &f) {
    Dims shift;
    for (size_t d = 0; d < mine.axes.size(); ++d)
        shift.push_back(sink.gdo().offset[d] - source.gdo().offset[d]);
    if (!sink.is_grid()) {
        std::vector<std::vector<Runs>> runs;
        for (const PartAxis &axis : mine.axes)
            runs.push_back(axis.owned.lists());
        const auto common = [&](size_t d, const PartAxis &theirs) {
            return common_runs(mine.axes[d].owned, theirs, shift[d], is_scattered(source, sink, d));
        };
        return walk_boxes(positions_near(runs, shift, sink, &Boxes::holders), sink, common, f);
    }
    std::vector<std::vector<DimPartner>> lists;
    for (size_t d = 0; d < mine.axes.size(); ++d)
        lists.push_back(sinks_along(mine.axes[d].owned, sink.cut(d), shift[d], is_scattered(source, sink, d)));
    walk_grid(sink, lists, f);
}

void for_each_source(const PlacedPart &mine, const Distribution &sink, const Distribution &source,
                     const PartnerFunction &f) {
    Dims shift, back;
    for (size_t d = 0; d < mine.axes.size(); ++d) {
        shift.push_back(sink.gdo().offset[d] - source.gdo().offset[d]);
        back.push_back(-shift[d]);
    }
    if (!source.is_grid()) {
        std::vector<std::vector<Runs>> runs;
        for (const PartAxis &axis : mine.axes)
            runs.push_back(wanted_runs(axis));
        const auto common = [&](size_t d, const PartAxis &theirs) {
            return common_runs(theirs.owned, mine.axes[d], shift[d], is_scattered(source, sink, d));
        };
        return walk_boxes(positions_near(runs, back, source, &Boxes::owners), source, common, f);
    }
    std::vector<std::vector<DimPartner>> lists;
    for (size_t d = 0; d < mine.axes.size(); ++d)
        lists.push_back(sources_along(mine.axes[d], source.cut(d), shift[d], is_scattered(source, sink, d)));
    walk_grid(source, lists, f);
}

} // namespace dri
