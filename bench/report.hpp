#pragma once

#include "harness.hpp"
#include "machine.hpp"

#include <optional>

namespace bench {

struct CaseResult {
    std::string line;
    int64_t bytes = 0;                   // of the whole array
    std::optional<double> round_trip_ns; // of a flag, just before
    std::vector<RowResult> rows;

    bool is_right() const;
};

void print_header(const Machine &machine, int processes, const Effort &effort);
void print_table(const CaseResult &result);

// Throws std::runtime_error if the file cannot be written.
void write_json(const std::string &file, const Machine &machine, int processes, const Effort &effort,
                const std::vector<CaseResult> &results);

} // namespace bench
