// Writes the tables of the terminal as Markdown.
#pragma once

#include "report.hpp"

namespace bench {

// plot: name of the plot's file, which lies beside this one. Throws std::runtime_error if the file cannot be
// written.
void write_markdown(const std::string &file, const std::string &plot, const Machine &machine, int processes,
                    const Effort &effort, const std::vector<CaseResult> &results);

} // namespace bench
