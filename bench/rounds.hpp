// Measures the rows of a case alternately. In each round of a row the limit and the library run beside it, so that
// its ratios compare times that lie close together.
#pragma once

#include "harness.hpp"

#include <optional>
#include <span>
#include <vector>

namespace bench {

struct Rounds {
    std::vector<RowResult> rows;         // one per kind, in the order of `kinds`
    std::optional<double> round_trip_ns; // round trip of a flag, median over the rounds; see flag_round_trip_ns
};

// Needs memory for the buffers of the limit, of the library and of one more row at the same time. Collective;
// equal results on all processes. A failure names the case and the row.
Rounds run_round_robin(std::span<const RowKind> kinds, const Case &c, const Effort &effort, Barrier &barrier);

} // namespace bench
