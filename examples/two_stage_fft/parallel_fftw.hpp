// FFTW with its MPI part, and the common names for it.
#pragma once

#include "fftw.hpp"

#include <fftw3-mpi.h>

namespace fft {

using common::Array, common::as_fftw, common::cfloat, common::make_array, common::Plan, common::plan_lines;

} // namespace fft
