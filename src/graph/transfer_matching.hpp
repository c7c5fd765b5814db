// Brings the ends of whole transfers together by name.
#pragma once

#include "graph/faults.hpp"
#include "graph/told.hpp"

namespace dri::graph {

// The processes of a transfer, in rising order.
struct TransferEnds {
    std::vector<int> sources, sinks;
    int64_t bytes = 0; // of the whole array, as the source has it
};

struct MatchedTransfers {
    std::vector<std::string> names; // in rising order
    std::vector<TransferEnds> ends; // per name
};

// Adds what is wrong to the faults: ends that are missing, several sources, arrays that differ.
MatchedTransfers match_transfers(const std::vector<ToldGraph> &all, std::vector<GraphFault> &faults);

} // namespace dri::graph
