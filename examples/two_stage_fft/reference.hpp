#pragma once

#include "two_stage_fft.hpp"

namespace fft {

// The lines of an array that one process holds if the array is cut along dimension `dim`: contiguous rows if it is
// 0, contiguous columns if it is 1.
struct Lines {
    int dim;
    std::int64_t count;
    cfloat *data;
};

// Collective: max |difference| / max |other| over the whole array. Infinite if a value is not finite. rows: number
// of rows of the array.
double relative_difference(const TwoStageFft &transform, const Lines &other, int rows);

// The same against FFTW's own parallel transform of the same input.
double relative_error(const TwoStageFft &transform, int rows, int columns, unsigned planning);

} // namespace fft
