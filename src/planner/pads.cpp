// Describes the zero pads of a part as products of intervals, one copy per dimension.
#include "planner/pads.hpp"

#include "model/part_axis.hpp"

#include <algorithm>

namespace dri::planner {

namespace {

// Local indices [lo, hi) along one dimension. Lists are in rising order, and their intervals do not touch.
struct Interval {
    int64_t lo, hi;
};

std::vector<Interval> zeros_of(const HeldRuns &axis) {
    std::vector<Interval> zeros;
    for (const model::Pad &pad : axis.pads())
        if (!pad.copy_of && pad.size > 0)
            zeros.push_back({pad.local, pad.local + pad.size});
    std::sort(zeros.begin(), zeros.end(), [](const Interval &a, const Interval &b) { return a.lo < b.lo; });
    return zeros;
}

// All local indices below `extent` that are in none of the intervals.
std::vector<Interval> rest_of(const std::vector<Interval> &zeros, int64_t extent) {
    std::vector<Interval> rest;
    int64_t at = 0;
    for (const Interval &zero : zeros) {
        if (at < zero.lo)
            rest.push_back({at, zero.lo});
        at = zero.hi;
    }
    if (at < extent)
        rest.push_back({at, extent});
    return rest;
}

plan::Table table_of(const std::vector<Interval> &intervals, int64_t stride) {
    plan::Entries::List entries;
    for (const Interval &i : intervals)
        entries.push_back({i.lo * stride, i.lo * stride, i.hi - i.lo});
    return {stride, stride, entries};
}

} // namespace

std::vector<plan::StridedCopy> zero_pads(const PartView &part) {
    const size_t ndims = part.axes.size();
    const int64_t step = part.shape.step_bytes();
    std::vector<std::vector<Interval>> zeros;
    for (const HeldRuns &axis : part.axes)
        zeros.push_back(zeros_of(axis));
    // An element is zero if its index along any dimension lies in a zero pad. It is filled for the first such
    // dimension.
    std::vector<plan::StridedCopy> fills;
    for (size_t first = 0; first < ndims; ++first) {
        if (zeros[first].empty())
            continue;
        plan::StridedCopy fill;
        fill.run_bytes = step;
        if (part.shape.split)
            fill.loops.push_back({2, part.shape.part_bytes(), part.shape.part_bytes()});
        for (size_t d = 0; d < ndims; ++d) {
            const int64_t extent = part.axes[d].extent();
            const std::vector<Interval> all{{0, extent}};
            const auto &runs = d < first ? rest_of(zeros[d], extent) : d == first ? zeros[d] : all;
            fill.tables.push_back(table_of(runs, part.shape.strides[d] * step));
        }
        fill = plan::canonical(std::move(fill));
        if (fill.run_bytes > 0)
            fills.push_back(std::move(fill));
    }
    return fills;
}

} // namespace dri::planner
