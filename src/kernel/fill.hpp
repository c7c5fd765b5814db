// Filling with zeros what a copy would write.
#pragma once

#include "plan/strided_copy.hpp"

#include <cstddef>

namespace dri {

// copy: in canonical form; its source does not count.
void fill_zeros(const StridedCopy &copy, std::byte *dst);

} // namespace dri
