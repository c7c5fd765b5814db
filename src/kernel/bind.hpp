// Binds a copy to a row of the kernel table.
#pragma once

#include "kernel/kernel.hpp"
#include "plan/strided_copy.hpp"

namespace dri::kernel {

// Brings a copy into canonical form, picks the first kernel that fits and needs no more than `isa`, and orders the
// loops for that kernel. working_set_bytes: bytes that are written along with this copy before any of them is read
// again, if they are more than the copy itself. They decide the kind of stores.
BoundCopy bind(const plan::StridedCopy &copy, Isa isa, int64_t working_set_bytes = 0);

} // namespace dri::kernel
