// Runs one contender on one case: checks what it does, measures it, checks it again.
#pragma once

#include "barrier.hpp"
#include "row.hpp"

#include <optional>
#include <string>
#include <vector>

namespace bench {

struct Effort {
    int repetitions = 7;
    double min_seconds = 0.05; // of each repetition
    int threads = 1;           // of each process, in the library's row
};

struct RowResult {
    std::string name;
    Contender contender{};
    std::string unfit;            // why there are no times
    bool is_right = true;         // every element arrived where it should
    double setup_ms = 0;          // of the slowest process
    int64_t iterations = 0;       // per repetition
    std::vector<double> times_ms; // one per repetition: mean of its iterations, slowest process

    bool has_times() const { return !times_ms.empty(); }
    double median_ms() const;
};

// The shortest median of the rows of a kind; nothing where none has times.
std::optional<double> best_ms(const std::vector<RowResult> &rows, Contender contender);

// Collective; the same result on all processes.
RowResult run_row(const RowKind &kind, const Case &c, const Effort &effort, Barrier &barrier);

// What every time has in it beside the work: the barriers before and after. Collective; the same on all processes.
double empty_frame_us(const Effort &effort, Barrier &barrier);

} // namespace bench
