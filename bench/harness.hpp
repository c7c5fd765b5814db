// One contender on one case: checked, measured as often as asked, checked again.
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
    // Of the limit and of the library in the same rounds, where they were run.
    std::vector<double> limit_ms, dri_ms;

    bool has_times() const { return !times_ms.empty(); }
    double median_ms() const;
    // Medians over the rounds, because cores change their speed from one to the next: the part of the limit that
    // the row reaches, and how much longer than the library it takes. Nothing where those were not run.
    std::optional<double> of_limit() const;
    std::optional<double> dri_gain() const;
};

double median(std::vector<double> values);

class Row {
public:
    // Collective; so are the others.
    Row(const RowKind &kind, const Case &c, const Effort &effort, Barrier &barrier);

    bool runs() const { return contest_.run && result.is_right; }
    double repeat(Barrier &barrier); // milliseconds of an iteration
    void check_again();

    RowResult result; // the same on all processes

private:
    const Case &case_;
    Contest contest_;
};

// What every time has in it beside the work: the barriers before and after. Collective; the same on all processes.
double empty_frame_us(const Effort &effort, Barrier &barrier);

} // namespace bench
