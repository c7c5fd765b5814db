// Chooses the kernels of a commit: by wisdom; by measuring if requested and if there is time; otherwise by the
// cost model. The choice of a kernel never changes what a copy writes.
#pragma once

#include "kernel/measure.hpp"
#include "kernel/wisdom.hpp"
#include "plan/strided_copy.hpp"

namespace dri::kernel {

// The addresses that a copy will run with. Only their offsets inside a page matter.
struct Addresses {
    uintptr_t src = 0, dst = 0;
};

class Chooser {
public:
    Chooser(Isa isa, Wisdom &wisdom) : isa_(isa), wisdom_(wisdom) {}

    Isa isa() const { return isa_; }
    // Sets the time that measuring may use from now on.
    void allow(double seconds) { seconds_left_ = seconds; }
    // Binds a copy as bind() does. It measures if all of these hold: `measures` is set, no wisdom is known,
    // several kernels or kinds of stores are close, and there is time. The result is kept as wisdom. Copies with
    // tables keep the cost model's choice.
    BoundCopy bind(const plan::StridedCopy &copy, int64_t working_set_bytes, Addresses at, bool measures);

    // Number of copies that were measured, and the seconds spent.
    int64_t measured() const { return measured_; }
    double seconds() const { return seconds_; }

private:
    std::optional<BoundCopy> measure_copy(const Shape &shape, const plan::StridedCopy &copy, Addresses at);

    Isa isa_;
    Wisdom &wisdom_;
    double seconds_left_ = 0;
    Scratch scratch_;
    int64_t measured_ = 0;
    double seconds_ = 0;
};

} // namespace dri::kernel
