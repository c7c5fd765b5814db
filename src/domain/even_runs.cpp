// Cuts what a process owns of a slice into boxes that lie evenly in memory.
#include "domain/axis_runs.hpp"
#include "domain/ranges.hpp"

#include <algorithm>

namespace dri::domain {

namespace {

// Cuts a box of dense indices of a slice. there: the same members as dense indices of the whole. Two members are
// always even.
void append_even(const DRI_Range &box, const DRI_Range &there, const AxisRuns &whole, std::vector<DRI_Run> &runs) {
    const auto step_at = [&](int64_t k) {
        return whole.place_of(math::member_at(there, k)) - whole.place_of(math::member_at(there, k - 1));
    };
    for (int64_t k = 0; k < box.size;) {
        int64_t n = std::min<int64_t>(2, box.size - k);
        while (k + n < box.size && step_at(k + n) == step_at(k + 1))
            ++n;
        runs.push_back(run_of({math::member_at(box, k), n == 1 ? 1 : box.stride, n}));
        k += n;
    }
}

} // namespace

AxisRuns evenly_placed(const AxisRuns &slice, const DRI_Range &range, const AxisRuns &whole,
                       const DRI_Range &whole_range) {
    std::vector<DRI_Run> runs;
    for (int64_t i = 0; i < slice.num_boxes(); ++i) {
        const DRI_Range box = slice.box(i);
        const DRI_Range there = math::densified(math::undensified(box, range).value(), whole_range).value();
        if (math::densified(there, whole.box(whole.box_of(there.first))))
            runs.push_back(run_of(box));
        else
            append_even(box, there, whole, runs);
    }
    return static_cast<int64_t>(runs.size()) == slice.num_boxes() ? slice : AxisRuns(std::move(runs));
}

} // namespace dri::domain
