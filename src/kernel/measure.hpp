// Measures copies on scratch memory, in interleaved rounds.
#pragma once

#include "base/memory.hpp"
#include "kernel/choice.hpp"
#include "plan/strided_copy.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace dri::kernel {

// Times of n candidates, and which is fastest. If several are equally fast, it is the first of them.
struct Times {
    std::vector<double> seconds; // medians; for candidates given up early, the shortest run
    size_t fastest = 0;
};

// Runs a candidate once and returns the seconds.
using TimeRun = std::function<double(size_t candidate)>;

constexpr int min_rounds = 3, max_rounds = 7;
// A candidate that is this many times slower than the best after two runs is given up.
constexpr double hopeless = 2;

// Runs all candidates once without counting it, then alternately, max_rounds times or until the time `until`.
// `now` is a clock in seconds; no run starts after `until`. Returns nothing if there was no time for min_rounds.
std::optional<Times> measure(size_t n, const TimeRun &run, const std::function<double()> &now, double until);

// The copy cut down to its first steps, so that it spans at most max_bytes on either side. Two steps that are more
// than half of max_bytes apart, such as the planes of complex numbers, come nearer and keep their offsets in a
// page.
plan::StridedCopy first_part(plan::StridedCopy copy, int64_t max_bytes);

// The memory that a copy runs on while it is measured. It is held until the object is destroyed.
class Scratch {
public:
    // Maximum bytes for each of source and destination, and for the memory that a frame moves beside the copy.
    static constexpr int64_t max_side_bytes = int64_t{16} << 20, max_other_bytes = int64_t{16} << 20;

    // Provides memory for a copy. Its addresses get the same offsets in a page as src and dst, with which it will
    // run. other_bytes: bytes that a frame moves between two runs of the copy. Fails with DRI_ERR_MEMORY.
    void prepare(const plan::StridedCopy &copy, uintptr_t src, uintptr_t dst, int64_t other_bytes);

    // Writes the other memory, so that caches are as in a frame, then times the copy. `bound` is the prepared copy
    // with any kernel that fits it.
    double time(const BoundCopy &bound);

    // The prepared copy with its offsets in the scratch memory.
    const plan::StridedCopy &copy() const { return copy_; }

private:
    plan::StridedCopy copy_;
    AlignedBuffer src_, dst_, other_;
    int64_t other_bytes_ = 0;
};

double seconds_now(); // of a monotonic clock

} // namespace dri::kernel
