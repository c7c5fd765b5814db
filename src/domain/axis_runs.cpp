// Finds places and boxes in lists of runs.
#include "domain/axis_runs.hpp"

#include <algorithm>

namespace dri::domain {

namespace {

int64_t low_of_run(const DRI_Run &run) {
    return run.count == 1 || run.step > 0 ? run.first : run.first + (run.count - 1) * run.step;
}

int64_t high_of_run(const DRI_Run &run) {
    return (run.count == 1 || run.step < 0 ? run.first : run.first + (run.count - 1) * run.step) + run.size - 1;
}

// Whether the run has the index, and if so in which stretch.
bool has(const DRI_Run &run, int64_t dense, int64_t &stretch, int64_t &inside) {
    if (run.count == 1) {
        stretch = 0;
        inside = dense - run.first;
        return inside >= 0 && inside < run.size;
    }
    const int64_t low = low_of_run(run), step = std::abs(run.step), distance = dense - low;
    if (distance < 0)
        return false;
    stretch = distance / step;
    inside = distance % step;
    if (stretch >= run.count || inside >= run.size)
        return false;
    if (run.step < 0)
        stretch = run.count - 1 - stretch;
    return true;
}

} // namespace

DRI_Run run_of(const DRI_Range &range) {
    if (range.size == 1 || range.stride == 1)
        return {range.first, range.size, 1, 0};
    return {range.first, 1, range.size, range.stride};
}

void append_stretch(std::vector<DRI_Run> &runs, int64_t first, int64_t size) {
    if (!runs.empty()) {
        DRI_Run &last = runs.back();
        if (last.count == 1 && last.first + last.size == first) {
            last.size += size;
            return;
        }
        if (last.size == size && (last.count == 1 || first - last.first == last.count * last.step)) {
            if (last.count++ == 1)
                last.step = first - last.first;
            return;
        }
    }
    runs.push_back({first, size, 1, 0});
}

AxisRuns::AxisRuns(std::vector<DRI_Run> runs) : runs_(std::move(runs)) {
    int64_t places = 0, boxes = 0;
    entries_.reserve(runs_.size());
    by_index_.reserve(runs_.size());
    for (size_t i = 0; i < runs_.size(); ++i) {
        const DRI_Run &run = runs_[i];
        places += run.size * run.count;
        boxes += run.size == 1 ? 1 : run.count;
        entries_.push_back({places, boxes});
        by_index_.push_back({low_of_run(run), high_of_run(run), i});
    }
    std::sort(by_index_.begin(), by_index_.end(),
              [](const ByIndex &a, const ByIndex &b) { return a.low < b.low; });
    for (size_t i = 1; i < by_index_.size(); ++i)
        by_index_[i].reach = std::max(by_index_[i].reach, by_index_[i - 1].reach);
}

DRI_Range AxisRuns::box(int64_t i) const {
    const auto entry = std::upper_bound(entries_.begin(), entries_.end(), i,
                                        [](int64_t box, const Entry &e) { return box < e.boxes_end; });
    const auto k = static_cast<size_t>(entry - entries_.begin());
    const DRI_Run &run = runs_[k];
    if (run.size == 1)
        return {run.first, run.count == 1 ? 1 : run.step, run.count};
    const int64_t before = k ? entries_[k - 1].boxes_end : 0;
    return {run.first + (i - before) * run.step, 1, run.size};
}

size_t AxisRuns::run_with(int64_t dense) const {
    auto at = std::upper_bound(by_index_.begin(), by_index_.end(), dense,
                               [](int64_t index, const ByIndex &one) { return index < one.low; });
    while (at != by_index_.begin()) {
        --at;
        if (at->reach < dense)
            break;
        int64_t stretch, inside;
        if (has(runs_[at->run], dense, stretch, inside))
            return at->run;
    }
    return runs_.size();
}

int64_t AxisRuns::box_of(int64_t dense) const {
    const size_t k = run_with(dense);
    int64_t stretch = 0, inside = 0;
    has(runs_[k], dense, stretch, inside);
    return (k ? entries_[k - 1].boxes_end : 0) + (runs_[k].size == 1 ? 0 : stretch);
}

int64_t AxisRuns::place_of(int64_t dense) const {
    const size_t k = run_with(dense);
    if (k == runs_.size())
        return -1;
    int64_t stretch = 0, inside = 0;
    has(runs_[k], dense, stretch, inside);
    return (k ? entries_[k - 1].places_end : 0) + stretch * runs_[k].size + inside;
}

int64_t AxisRuns::at(int64_t place) const {
    const auto entry = std::upper_bound(entries_.begin(), entries_.end(), place,
                                        [](int64_t wanted, const Entry &e) { return wanted < e.places_end; });
    const auto k = static_cast<size_t>(entry - entries_.begin());
    const DRI_Run &run = runs_[k];
    const int64_t inside = place - (k ? entries_[k - 1].places_end : 0);
    return run.first + inside / run.size * run.step + inside % run.size;
}

bool operator==(const AxisRuns &a, const AxisRuns &b) {
    const auto same = [](const DRI_Run &x, const DRI_Run &y) {
        return x.first == y.first && x.size == y.size && x.count == y.count && x.step == y.step;
    };
    return std::equal(a.runs_.begin(), a.runs_.end(), b.runs_.begin(), b.runs_.end(), same);
}

} // namespace dri::domain
