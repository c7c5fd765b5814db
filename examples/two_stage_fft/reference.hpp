#pragma once

#include "two_stage_fft.hpp"

namespace fft {

// Collective: max |difference| / max |reference| over the whole array, where the reference is FFTW's own parallel
// transform of the same input. Infinite if a value is not finite.
double relative_error(const TwoStageFft &transform, int rows, int columns, unsigned planning);

} // namespace fft
