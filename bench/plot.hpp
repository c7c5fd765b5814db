// A plot of a run: for each case, the fraction of the limit that each row reaches.
#pragma once

#include "report.hpp"

namespace bench {

// Writes an SVG file. Throws std::runtime_error if it cannot be written.
void write_plot(const std::string &file, const Machine &machine, int processes,
                const std::vector<CaseResult> &results);

} // namespace bench
