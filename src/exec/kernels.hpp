// The kernels of a process, for those who pass them on and know nothing of the module kernel.
#pragma once

#include "kernel/chooser.hpp"
#include "kernel/kernel.hpp"
#include "kernel/wisdom.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace dri::exec {

// The instruction sets that a process uses, and what it has measured.
class Kernels {
public:
    // Reads DRI_ISA. Fails with DRI_ERR_ARG if it names no instruction set of this processor.
    void find_isa() { isa_ = kernel::best_isa(); }
    const char *isa_name() const { return kernel::isa_name(isa_); }
    // What was measured and imported, as text. Any thread may make these calls.
    std::string wisdom() const { return wisdom_.to_text(); }
    void add_wisdom(std::string_view text) { wisdom_.merge(text); }

private:
    friend class KernelChooser;
    kernel::Isa isa_{};
    kernel::Wisdom wisdom_;
};

// Chooses the kernels of one commit. What it measures is kept in `kernels`, which must outlive it.
class KernelChooser {
public:
    explicit KernelChooser(Kernels &kernels) : chooser_(kernels.isa_, kernels.wisdom_) {}

    // Sets the time that measuring may use from now on.
    void allow(double seconds) { chooser_.allow(seconds); }
    // Number of copies that were measured, and the seconds spent.
    int64_t measured() const { return chooser_.measured(); }
    double seconds() const { return chooser_.seconds(); }

private:
    friend class Link;
    kernel::Chooser chooser_;
};

} // namespace dri::exec
