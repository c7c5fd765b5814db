// Measuring: copies on scratch memory, in interleaved rounds.
#pragma once

#include "base/memory.hpp"
#include "kernel/choice.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace dri {

// Of n candidates: how long each takes, and which is fastest; of equal ones the first.
struct Times {
    std::vector<double> seconds; // medians; of candidates that were given up early, the shortest run
    size_t fastest = 0;
};

// One run of a candidate; returns its seconds.
using TimeRun = std::function<double(size_t candidate)>;

constexpr int min_rounds = 3, max_rounds = 7;
// A candidate twice as slow as another one after two runs is given up.
constexpr double hopeless = 2;

// Runs all candidates once without counting it, then in turn, max_rounds times or until `now` is past `until`.
// now: a clock, in seconds; no run begins after `until`. Nothing where there was no time for min_rounds.
std::optional<Times> measure(size_t n, const TimeRun &run, const std::function<double()> &now, double until);

// The same copy cut down to its first steps, so that it spans at most max_bytes on either side. Two steps that
// are farther apart than half of that, such as the planes of complex numbers, come nearer and keep their places in
// a page.
StridedCopy first_part(StridedCopy copy, int64_t max_bytes);

// What a copy runs on while it is measured. Holds memory as long as it lives.
class Scratch {
public:
    // Of the source, of the destination, and of what a frame moves beside the copy.
    static constexpr int64_t max_side_bytes = int64_t{16} << 20, max_other_bytes = int64_t{16} << 20;

    // The copy's addresses lie at the places in a page that src and dst have, the addresses that it will run with.
    // other_bytes: what a frame moves between two runs of the copy. Fails with DRI_ERR_MEMORY.
    void prepare(const StridedCopy &copy, uintptr_t src, uintptr_t dst, int64_t other_bytes);

    // Takes the other memory's way through the caches, then times the copy. bound: the prepared copy, with any
    // kernel that fits it.
    double time(const BoundCopy &bound);

    // The prepared copy with its offsets in the scratch memory.
    const StridedCopy &copy() const { return copy_; }

private:
    StridedCopy copy_;
    AlignedBuffer src_, dst_, other_;
    int64_t other_bytes_ = 0;
};

double seconds_now(); // of a clock that never goes back

} // namespace dri
