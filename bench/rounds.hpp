// The rows of a case by turns: in each round of a row the limit and the library run beside it, so that its ratios
// are of times that lie next to each other.
#pragma once

#include "harness.hpp"

#include <optional>
#include <span>
#include <vector>

namespace bench {

struct Rounds {
    std::vector<RowResult> rows;         // one of each kind, in their order
    std::optional<double> round_trip_ns; // of a flag, median over the rounds; see flag_round_trip_ns
};

// Memory for the limit's, the library's and one more row's buffers at once. Collective; the same result on all
// processes. A failure tells which row of which case it is about.
Rounds run_by_turns(std::span<const RowKind> kinds, const Case &c, const Effort &effort, Barrier &barrier);

} // namespace bench
