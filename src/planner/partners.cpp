// Finds the parts of the other side that share elements with one part, without a walk over all parts.
#include "planner/partners.hpp"

#include "base/checked.hpp"
#include "base/sorted.hpp"
#include "planner/list_queries.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <unordered_map>

namespace dri::planner {

namespace {

using CutSearch = std::vector<int64_t> (model::Cut::*)(int64_t lo, int64_t hi) const;
using BoxSearch = std::vector<int> (model::Boxes::*)(std::span<const int64_t> lo,
                                                     std::span<const int64_t> hi) const;

// The view from one part to the other side. It holds all differences between a source's part and a sink's part.
struct View {
    bool of_source;

    // Searches parts of the other side: those that hold what a source owns, or those that own what a sink holds.
    CutSearch parts() const { return of_source ? &model::Cut::holders : &model::Cut::owners; }
    BoxSearch boxes() const { return of_source ? &model::Boxes::holders : &model::Boxes::owners; }
    // Index i of the other side is index i + offset() of this side.
    int64_t offset(int64_t shift) const { return of_source ? shift : -shift; }
    // What a source's part owns, or what a sink's part needs: its own elements, overlap, and elements that pads
    // repeat.
    std::vector<model::Runs> runs(const HeldRuns &mine) const {
        std::vector<model::Runs> runs(mine.owned().begin(), mine.owned().end());
        if (of_source)
            return runs;
        runs.insert(runs.end(), mine.overlap().begin(), mine.overlap().end());
        for (const model::Pad &pad : mine.pads())
            if (pad.copy_of)
                runs.push_back({*pad.copy_of, 1, 1, 0, pad.local, 0});
        return runs;
    }
    Shared shared(const HeldRuns &mine, const HeldRuns &theirs, int64_t shift, bool run_by_run) const {
        return of_source ? common_runs(mine.owned(), theirs, shift, run_by_run)
                         : common_runs(theirs.owned(), mine, shift, run_by_run);
    }
    // Adds what one run of this part shares with a part of the other side.
    void add_shared(const model::Runs &mine, const HeldRuns &theirs, int64_t shift, Shared &to) const {
        const std::span run(&mine, 1);
        const std::vector<model::CommonRuns> more =
            of_source ? common_runs(run, theirs, shift).repeated : model::intersect(theirs.owned(), run, shift);
        for (const model::CommonRuns &c : more)
            add(c, to);
    }
    // Runs without repetitions are kept in their shorter form.
    static void add(const model::CommonRuns &c, Shared &to) {
        if (c.outer.count == 1 && c.inner.count == 1)
            to.runs.push_back({c.a_local, c.b_local, c.size});
        else
            to.repeated.push_back(c);
    }
    SharedRun run(int64_t here, int64_t there, int64_t size) const {
        return {of_source ? here : there, of_source ? there : here, size};
    }
};

// Coordinates of parts that may hold an index of the runs, in rising order. Index i of the cut is index i + offset
// of the runs. Runs are searched one by one only if they are few:
// - In a cut with a period, the pattern of the runs repeats, and one common period of runs is enough.
// - If there are more runs than parts, one search covers the whole range of the runs.
std::vector<int64_t> candidates(const std::vector<model::Runs> &runs, const model::Cut &cut, CutSearch search,
                                int64_t offset) {
    std::vector<int64_t> coords;
    const auto add = [&](int64_t lo, int64_t hi) {
        lo = std::max<int64_t>(0, lo - offset);
        hi = std::min(cut.size(), hi - offset);
        if (lo >= hi)
            return;
        const auto found = (cut.*search)(lo, hi);
        coords.insert(coords.end(), found.begin(), found.end());
    };
    bool skipped = false;
    for (const model::Runs &r : runs) {
        int64_t from = 0, to = r.global_step == 0 ? 1 : r.count; // range of the runs that reach into the cut
        if (to > 1) {
            if (const int64_t before = offset - r.global - r.size; before >= 0)
                from = before / r.global_step + 1;
            to = std::min(to, ceil_div(std::max<int64_t>(offset + cut.size() - r.global, 0), r.global_step));
        }
        int64_t walk = to - from;
        // One run more than a period holds, because the first run may reach into the cut only with its end.
        if (!cut.contiguous() && to > 1)
            walk = std::min(walk, cut.period() / std::gcd(cut.period(), r.global_step) + 1);
        skipped = skipped || walk < to - from;
        if (walk > cut.nparts()) {
            add(r.global + from * r.global_step, r.global + (to - 1) * r.global_step + r.size);
            continue;
        }
        for (int64_t k = from; k < from + walk; ++k)
            add(r.global + k * r.global_step, r.global + k * r.global_step + r.size);
    }
    // The period does not describe overlap at the bounds of the array. If runs were skipped, the bounds are
    // searched, too.
    if (const model::Overlap &overlap = cut.overlap(); skipped && !overlap.none()) {
        const auto from_edge = [&](int64_t width) { return std::min(std::max<int64_t>(width, 1), cut.size()); };
        add(offset, offset + from_edge(overlap.right));
        add(offset + cut.size() - from_edge(overlap.left), offset + cut.size());
    }
    return sorted_once(std::move(coords));
}

// Calls f for every combination of partners along the dimensions.
void walk_grid(const model::Distribution &other, const std::vector<std::vector<DimPartner>> &lists,
               const PartnerFunction &f) {
    const size_t ndims = lists.size();
    for (const auto &list : lists)
        if (list.empty())
            return;
    std::vector<size_t> at(ndims, 0);
    Dims coords(ndims, 0);
    std::vector<const Shared *> shared(ndims);
    for (size_t changed = 0;;) {
        for (size_t d = changed; d < ndims; ++d) {
            coords[d] = lists[d][at[d]].coord;
            shared[d] = &lists[d][at[d]].shared;
        }
        f(other.part_of_coords(coords), shared);
        size_t d = ndims;
        while (d > 0 && ++at[d - 1] == lists[d - 1].size())
            at[--d] = 0;
        if (d == 0)
            return;
        changed = d - 1;
    }
}

// What this part shares with each part of the other side, in the order of the search.
using Found = std::unordered_map<int64_t, Shared>;

std::vector<DimPartner> in_order(Found &&found) {
    std::vector<DimPartner> partners;
    partners.reserve(found.size());
    for (auto &[part, shared] : found)
        partners.push_back({part, one_by_one(std::move(shared))});
    std::sort(partners.begin(), partners.end(),
              [](const DimPartner &a, const DimPartner &b) { return a.coord < b.coord; });
    return partners;
}

// Calls f(run, lo, hi) for each single run of a part that reaches into a cut of `size` indices; pads do not count.
// The cut's indices [lo, hi) are inside the run. Index i of the cut is index i + offset of the runs.
template <class F> void each_single(View view, const HeldRuns &mine, int64_t size, int64_t offset, F f) {
    const auto each = [&](std::span<const model::Runs> runs) {
        for (const model::Runs &r : runs)
            for (int64_t k = 0; k < r.count; ++k) {
                const model::Runs run{r.global + k * r.global_step, r.size, 1, 0, r.local + k * r.local_step, 0};
                const int64_t lo = std::max<int64_t>(run.global - offset, 0);
                const int64_t hi = std::min(run.global + run.size - offset, size);
                if (lo < hi)
                    f(run, lo, hi);
            }
    };
    each(mine.owned());
    if (!view.of_source)
        each(mine.overlap());
}

// Adds the pads of a sink that repeat an element. They receive it from the part that owns it.
void add_pads(View view, const HeldRuns &mine, const model::Cut &cut, int64_t shift, Found &found) {
    for (const model::Pad &pad : mine.pads()) {
        const int64_t index = pad.copy_of.value_or(0) - view.offset(shift);
        if (view.of_source || !pad.copy_of || index < 0 || index >= cut.size())
            continue;
        for (int64_t part : cut.owners(index, index + 1))
            if (const auto local = cut.axis_view(part).local_of(index))
                found[part].repeated.push_back({*local, pad.local, 1, {}, {pad.size, 0, 1}});
    }
}

// What is found of a part. There may be as many runs as elements. Memory for about as many as are expected, if
// `indices` of `of` indices are shared at random, is therefore requested at once and not step by step.
Shared &find(Found &found, int64_t part, int64_t runs, int64_t indices, int64_t of) {
    const auto [at, is_new] = found.try_emplace(part);
    if (is_new) {
        const auto expected = static_cast<int64_t>(static_cast<double>(runs) * static_cast<double>(indices) /
                                                   static_cast<double>(std::max<int64_t>(of, 1)));
        at->second.runs.reserve(std::min(runs, expected + expected / 16 + 16));
    }
    return at->second;
}

// Partners in a cut of index lists. The sorted runs of the lists tell the owners of each run.
std::vector<DimPartner> partners_of_lists(View view, const HeldRuns &mine, const model::Cut &cut, int64_t shift) {
    const int64_t offset = view.offset(shift);
    const int64_t indices = std::min(mine.extent(), cut.size());
    Found found;
    each_single(view, mine, cut.size(), offset, [&](const model::Runs &run, int64_t lo, int64_t hi) {
        const QueryRun query{lo, hi, run.local + (lo + offset - run.global)};
        if (cut.overlap().none())
            cut.indexed()->each(lo, hi, [&](const model::ListStretch &s) {
                const int64_t from = std::max(lo, s.lo), to = std::min(hi, s.hi);
                find(found, s.part, cut.indexed()->part(s.part).num_runs(), indices, cut.size())
                    .runs.push_back(view.run(query.local + (from - lo), s.block + (from - s.lo), to - from));
            });
        else if (view.of_source)
            find_shown(cut, query, [&](int64_t part, const model::CommonRuns &c) { View::add(c, found[part]); });
        else
            find_owned(cut, query, [&](int64_t part, const model::CommonRuns &c) {
                found[part].runs.push_back(view.run(c.a_local, c.b_local, c.size));
            });
    });
    add_pads(view, mine, cut, shift, found);
    return in_order(std::move(found));
}

// Partners of a part whose runs have no pattern, in a cut that has one. Each run is searched by itself.
std::vector<DimPartner> partners_of_runs(View view, const HeldRuns &mine, const model::Cut &cut, int64_t shift) {
    std::unordered_map<int64_t, HeldRuns> axes;
    int64_t runs = 0;
    for (const model::Runs &r : mine.owned())
        runs += r.count;
    Found found;
    each_single(view, mine, cut.size(), view.offset(shift), [&](const model::Runs &run, int64_t lo, int64_t hi) {
        for (int64_t part : (cut.*view.parts())(lo, hi)) {
            auto axis = axes.find(part);
            if (axis == axes.end())
                axis = axes.emplace(part, cut.axis(part)).first;
            view.add_shared(run, axis->second, shift, find(found, part, runs, axis->second.extent(), cut.size()));
        }
    });
    add_pads(view, mine, cut, shift, found);
    std::erase_if(found, [](const auto &partner) { return partner.second.empty(); });
    return in_order(std::move(found));
}

// What this part shares with the part at one position of the other side, along one dimension.
using SharedAlong = std::function<Shared(size_t dim, const HeldRuns &theirs)>;

// The smallest range of the other side's indices that holds all runs of this part, pads included. Index i of this
// part is index i - offset of the other side.
struct Range {
    int64_t lo, hi;
};
Range range_of(View view, const HeldRuns &mine, int64_t offset) {
    int64_t first = INT64_MAX, last = INT64_MIN;
    const auto widen = [&](int64_t lo, int64_t hi) {
        first = std::min(first, lo);
        last = std::max(last, hi);
    };
    for (const model::Runs &r : mine.owned())
        widen(r.global, r.end());
    for (const model::Runs &r : mine.overlap())
        if (!view.of_source)
            widen(r.global, r.end());
    for (const model::Pad &pad : mine.pads())
        if (!view.of_source && pad.copy_of)
            widen(*pad.copy_of, *pad.copy_of + 1);
    return first == INT64_MAX ? Range{0, 0} : Range{first - offset, last - offset};
}

// Positions whose boxes meet the smallest box around the runs of this part.
std::vector<int> positions_near(View view, const PartView &mine, const Dims &offset,
                                const model::Distribution &other) {
    if (mine.axes.empty()) { // no dimensions: an array of one element, which all positions hold
        std::vector<int> all(static_cast<size_t>(other.group().size()));
        std::iota(all.begin(), all.end(), 0);
        return all;
    }
    Dims lo, hi;
    for (size_t d = 0; d < mine.axes.size(); ++d) {
        const Range range = range_of(view, mine.axes[d], offset[d]);
        lo.push_back(std::max<int64_t>(range.lo, 0));
        hi.push_back(std::min(range.hi, other.gdo().sizes[d]));
        if (lo.back() >= hi.back())
            return {};
    }
    return (other.boxes().*view.boxes())({lo.begin(), lo.size()}, {hi.begin(), hi.size()});
}

// Calls f for the positions that share elements along every dimension.
void walk_boxes(const std::vector<int> &positions, const model::Distribution &other,
                const SharedAlong &shared_along, const PartnerFunction &f) {
    for (int position : positions) {
        std::vector<Shared> all;
        std::vector<const Shared *> shared;
        for (size_t d = 0; d < other.ndims() && (all.empty() || !all.back().empty()); ++d)
            all.push_back(shared_along(d, other.axis(position, d)));
        for (const Shared &along : all)
            shared.push_back(&along);
        if (all.size() == other.ndims() && (all.empty() || !all.back().empty()))
            f(position, shared);
    }
}

} // namespace

std::vector<DimPartner> partners_along(PartOf side, const HeldRuns &mine, const model::Cut &other, int64_t shift,
                                       bool scattered) {
    const View view{side == PartOf::source};
    const model::IndexedParts *lists = other.indexed();
    if (scattered && lists && lists->scattered())
        return partners_of_lists(view, mine, other, shift);
    if (scattered && !lists)
        return partners_of_runs(view, mine, other, shift);
    std::vector<DimPartner> partners;
    for (int64_t c : candidates(view.runs(mine), other, view.parts(), view.offset(shift)))
        if (auto shared = view.shared(mine, other.axis(c), shift, scattered); !shared.empty())
            partners.push_back({c, std::move(shared)});
    return partners;
}

bool is_scattered(const model::Distribution &source, const model::Distribution &sink, size_t dim) {
    const auto has_lists = [dim](const model::Distribution &dist) {
        return dist.is_grid() && dist.cut(dim).indexed() && dist.cut(dim).indexed()->scattered();
    };
    return has_lists(source) || has_lists(sink);
}

void for_each_partner(PartOf side, const PartView &mine, const model::Distribution &source,
                      const model::Distribution &sink, const PartnerFunction &f) {
    const View view{side == PartOf::source};
    const model::Distribution &other = view.of_source ? sink : source;
    const size_t ndims = mine.axes.size();
    Dims shift, offset;
    for (size_t d = 0; d < ndims; ++d) {
        shift.push_back(sink.gdo().offset[d] - source.gdo().offset[d]);
        offset.push_back(view.offset(shift[d]));
    }
    if (!other.is_grid()) {
        const auto shared_along = [&](size_t d, const HeldRuns &theirs) {
            return view.shared(mine.axes[d], theirs, shift[d], is_scattered(source, sink, d));
        };
        return walk_boxes(positions_near(view, mine, offset, other), other, shared_along, f);
    }
    std::vector<std::vector<DimPartner>> lists;
    for (size_t d = 0; d < ndims; ++d)
        lists.push_back(partners_along(side, mine.axes[d], other.cut(d), shift[d], is_scattered(source, sink, d)));
    walk_grid(other, lists, f);
}

} // namespace dri::planner
