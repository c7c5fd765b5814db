// Fills with zeros what a copy would write.
#pragma once

#include "plan/strided_copy.hpp"

#include <cstddef>

namespace dri::kernel {

// `copy` must be in canonical form. Its source has no meaning.
void fill_zeros(const plan::StridedCopy &copy, std::byte *dst);

} // namespace dri::kernel
