// Reads the Gotcha Volumetric SAR data set in its released form: MATLAB files data_*.mat.
#pragma once

#include "phase_history.hpp"

#include <filesystem>

namespace sar {

// Reads all pulses of all files data_*.mat of a folder, in the order of azimuth. Throws Failure that names file
// and field, if one is missing, truncated or of another kind.
PhaseHistory read_gotcha(const std::filesystem::path &folder, bool with_autofocus);

} // namespace sar
