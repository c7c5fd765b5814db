// Ends of streams that do not come to all sources of a transfer in time.
#pragma once

#include "graph/operations.hpp"

namespace dri::graph {

// A transfer that a process must close after a frame whose end it learns only behind it. The others close it in
// time.
struct LateEnd {
    int64_t transfer = -1; // -1: there is none
    int late = -1, early = -1;
};

// The first one by number. What is not certain from the operations alone counts as late.
LateEnd find_late_end(const Operations &operations);

// Fails with DRI_ERR_UNSUPPORTED if there is one.
void require_ends_in_time(const Operations &operations);

} // namespace dri::graph
