// Reads the Gotcha Volumetric SAR data set as it was released: MATLAB files data_*.mat.
#pragma once

#include "phase_history.hpp"

#include <filesystem>

namespace sar {

// All pulses of all files data_*.mat of a folder, in the order of their azimuth. Throws Failure, naming file and
// field, if one is missing, truncated or something else.
PhaseHistory read_gotcha(const std::filesystem::path &folder, bool with_autofocus);

} // namespace sar
