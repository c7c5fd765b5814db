#pragma once

#include "plan/strided_copy.hpp"

#include <string>
#include <utility>

namespace kernel_bench {

// Parses text as to_text(StridedCopy) writes it, without tables and scales. Offsets may be omitted.
dri::plan::StridedCopy parse_copy(const std::string &text);

// Bytes of source and destination memory from offset 0 to the end of the copy. Its strides must not be negative.
std::pair<int64_t, int64_t> extents(const dri::plan::StridedCopy &copy);

} // namespace kernel_bench
