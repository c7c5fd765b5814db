// Runs one contender on one case: checks it, measures it as often as requested, checks it again.
#pragma once

#include "barrier.hpp"
#include "median.hpp"
#include "row.hpp"

#include <optional>
#include <string>
#include <vector>

namespace bench {

struct Effort {
    int repetitions = 7;
    double min_seconds = 0.05; // duration of each repetition
    int threads = 1;           // per process, in the library's rows only
};

struct RowResult {
    std::string name;
    Contender contender{};
    std::string unfit;            // why there are no times
    bool is_right = true;         // every element arrived at its place
    double setup_ms = 0;          // of the slowest process
    int64_t iterations = 0;       // per repetition
    std::vector<double> times_ms; // one per repetition: mean of its iterations, slowest process
    // Times of the limit and of the library in the same rounds. Empty if those rows were not run.
    std::vector<double> limit_ms, dri_ms;

    bool has_times() const { return !times_ms.empty(); }
    double median_ms() const;
    // Fraction of the limit's speed that the row reaches, and its time divided by the library's. Both are medians
    // of the ratios of single rounds, because cores change their speed from one round to the next. Empty if the
    // limit or the library was not run.
    std::optional<double> of_limit() const;
    std::optional<double> dri_gain() const;
};

class Row {
public:
    // Collective, as are repeat() and check_again().
    Row(const RowKind &kind, const Case &c, const Effort &effort, Barrier &barrier);

    bool runs() const { return contest_.run && result.is_right; }
    double repeat(Barrier &barrier); // milliseconds per iteration
    void check_again();

    RowResult result; // the same on all processes

private:
    const Case &case_;
    Contest contest_;
};

// The time of the barriers before and after the work, which every measured time contains. Collective; equal on all
// processes.
double empty_frame_us(const Effort &effort, Barrier &barrier);

} // namespace bench
