// A picture of a run: for each case, how near each row comes to the limit.
#pragma once

#include "report.hpp"

namespace bench {

// Writes an SVG file. Throws std::runtime_error if it cannot be written.
void write_plot(const std::string &file, const Machine &machine, int processes,
                const std::vector<CaseResult> &results);

} // namespace bench
