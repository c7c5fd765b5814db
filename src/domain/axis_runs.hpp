// What a process owns along one dimension of a domain: dense indices, in the order in which they lie in memory.
#pragma once

#include "base/error.hpp"

#include <dri/part.h>
#include <dri/range.h>

#include <span>
#include <vector>

namespace dri::domain {

// A range as a run: a stretch, or single indices.
DRI_Run run_of(const DRI_Range &range);
// Appends a stretch of dense indices to a list, which grows only if the stretch does not continue its last run.
// Runs of single indices and rising runs cost nothing more however long they are.
void append_stretch(std::vector<DRI_Run> &runs, int64_t first, int64_t size);

class AxisRuns {
public:
    AxisRuns() = default;
    // Disjoint runs with size > 0 and count > 0.
    explicit AxisRuns(std::vector<DRI_Run> runs);

    const std::vector<DRI_Run> &runs() const { return runs_; }
    // Number of indices.
    int64_t size() const { return entries_.empty() ? 0 : entries_.back().places_end; }

    // Evenly spaced stretches: a run of single indices is one, any other one for each of its stretches.
    int64_t num_boxes() const { return entries_.empty() ? 0 : entries_.back().boxes_end; }
    DRI_Range box(int64_t i) const;
    // The box that has an index which is there.
    int64_t box_of(int64_t dense) const;

    // The place of a dense index in memory, or -1 if it is not there.
    int64_t place_of(int64_t dense) const;
    // The dense index at a place.
    int64_t at(int64_t place) const;

    friend bool operator==(const AxisRuns &a, const AxisRuns &b);

private:
    struct Entry {
        int64_t places_end, boxes_end; // of this run and all before it
    };
    // By first index, to find the run of an index. Spans of runs may overlap; `reach` is the largest index of this
    // and all runs before it in this order.
    struct ByIndex {
        int64_t low, reach;
        size_t run;
    };

    // The run that has an index, or the number of runs.
    size_t run_with(int64_t dense) const;

    std::vector<DRI_Run> runs_;
    std::vector<Entry> entries_;
    std::vector<ByIndex> by_index_;
};

// What a process owns of a slice, by dense indices of the slice, cut where its places in the local array of the
// whole are not evenly spaced. Each box of the result lies evenly in memory. range, whole_range: of the slice and
// the whole.
AxisRuns evenly_placed(const AxisRuns &slice, const DRI_Range &range, const AxisRuns &whole,
                       const DRI_Range &whole_range);

} // namespace dri::domain
