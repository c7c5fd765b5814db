#pragma once

#include "plan/strided_copy.hpp"

#include <string>
#include <utility>

namespace kernel_bench {

// Reads what to_text(StridedCopy) writes, but tables and scales; offsets may be left out.
dri::StridedCopy parse_copy(const std::string &text);

// Bytes of source and destination that the copy reaches. Its strides must not be negative.
std::pair<int64_t, int64_t> extents(const dri::StridedCopy &copy);

} // namespace kernel_bench
