// How the kernels of a commit are chosen: by wisdom, by measuring where that is wanted and there is time, else by
// the cost model. Which kernel runs a copy never changes what it writes.
#pragma once

#include "kernel/measure.hpp"
#include "kernel/wisdom.hpp"

namespace dri {

// The addresses that a copy will run with; only their places in a page count.
struct Addresses {
    uintptr_t src = 0, dst = 0;
};

class Chooser {
public:
    Chooser(Isa isa, Wisdom &wisdom) : isa_(isa), wisdom_(wisdom) {}

    Isa isa() const { return isa_; }
    // Measuring may take so long from now on.
    void allow(double seconds) { seconds_left_ = seconds; }
    // As bind(). Measures where that is asked for, nothing is known, several kernels or ways to store are close,
    // and there is time; keeps the outcome as wisdom. Copies with tables keep the cost model's choice.
    BoundCopy bind(const StridedCopy &copy, int64_t working_set_bytes, Addresses at, bool measures);

    // Copies that were measured, and the seconds that it took.
    int64_t measured() const { return measured_; }
    double seconds() const { return seconds_; }

private:
    std::optional<BoundCopy> measure_copy(const Shape &shape, const StridedCopy &copy, Addresses at);

    Isa isa_;
    Wisdom &wisdom_;
    double seconds_left_ = 0;
    Scratch scratch_;
    int64_t measured_ = 0;
    double seconds_ = 0;
};

} // namespace dri
