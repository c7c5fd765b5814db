// Fills with zeros what a copy would write.
#pragma once

#include "plan/strided_copy.hpp"

#include <cstddef>

namespace dri {

// `copy` must be in canonical form. Its source has no meaning.
void fill_zeros(const StridedCopy &copy, std::byte *dst);

} // namespace dri
