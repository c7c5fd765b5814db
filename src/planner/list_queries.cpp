// Finds which blocks of index lists hold or own the indices of one run, through the search tree of the lists.
#include "planner/list_queries.hpp"

#include "base/checked.hpp"

#include <algorithm>

namespace dri::planner {

namespace {

// Calls f(part, block) for each block of the lists that owns an index in [lo, hi).
template <class F> void each_block(const model::Cut &lists, Wide lo, Wide hi, F f) {
    const auto from = static_cast<int64_t>(std::clamp<Wide>(lo, 0, lists.size()));
    const auto to = static_cast<int64_t>(std::clamp<Wide>(hi, 0, lists.size()));
    if (from >= to)
        return;
    lists.indexed()->each(from, to, [&](const model::ListStretch &s) {
        const model::AxisView view = lists.axis_view(s.part);
        for (int64_t i = std::max(from, s.lo); i < std::min(to, s.hi); ++i)
            f(s.part, view.block(s.block + (i - s.lo)));
    });
}

// Reports which indices of a run a block holds, from its first real index to its last one. Indices beyond the
// array stand for those a whole number of laps away: overlap may wrap round the array several times.
template <class F> void each_visible(const model::AxisBlock &block, const QueryRun &run, int64_t n, F f) {
    const Wide first = Wide{block.global} - block.left_real,
               end = Wide{block.global} + block.size + block.right_real;
    const Wide from = floor_div<Wide>(first - run.hi, n) + 1, to = floor_div<Wide>(end - run.lo - 1, n);
    for (Wide lap = from; lap <= to; ++lap) {
        const Wide lo = std::max(run.lo + lap * n, first), hi = std::min(run.hi + lap * n, end);
        if (lo < hi)
            f(run.local + static_cast<int64_t>(lo - lap * n - run.lo),
              block.local + static_cast<int64_t>(lo - block.global), static_cast<int64_t>(hi - lo));
    }
}

} // namespace

void find_shown(const model::Cut &lists, const QueryRun &run, const SharedFunction &f) {
    const model::Overlap &overlap = lists.overlap();
    const int64_t n = lists.size();
    const auto visit = [&](int64_t part, const model::AxisBlock &block) {
        each_visible(block, run, n, [&](int64_t here, int64_t there, int64_t size) {
            f(part, {here, there, size, {}, {}});
        });
        // All elements of such a pad repeat one element.
        const auto repeat = [&](int64_t index, int64_t there, int64_t size) {
            if (size > 0 && index >= run.lo && index < run.hi)
                f(part, {run.local + (index - run.lo), there, 1, {}, {size, 0, 1}});
        };
        if (overlap.left_edge == model::Edge::pad_replicate)
            repeat(0, block.local - block.left(), block.left_pad);
        if (overlap.right_edge == model::Edge::pad_replicate)
            repeat(n - 1, block.local + block.size + block.right_real, block.right_pad);
    };
    // A block holds an index if the index, widened by the overlap, meets the block. With wrapped overlap it may
    // also hold the index beyond the opposite bound of the array.
    const Wide lo = Wide{run.lo} - overlap.right, hi = Wide{run.hi} + overlap.left;
    const Wide low = overlap.left_edge == model::Edge::wrap ? hi - n : 0,
               high = overlap.right_edge == model::Edge::wrap ? lo + n : n;
    each_block(lists, 0, low, visit);
    each_block(lists, std::max(lo, low), hi, visit);
    each_block(lists, std::max({high, hi, low}), n, visit);
}

void find_owned(const model::Cut &lists, const QueryRun &run, const SharedFunction &f) {
    each_block(lists, run.lo, run.hi, [&](int64_t part, const model::AxisBlock &block) {
        f(part, {run.local + (block.global - run.lo), block.local, 1, {}, {}});
    });
}

} // namespace dri::planner
