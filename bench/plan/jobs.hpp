// The jobs that plan_bench plans.
#pragma once

#include "planner/plan_options.hpp"
#include "planner/side.hpp"

#include <vector>

namespace plan_bench {

struct Sides {
    dri::planner::Side source, sink;
    int middle_rank = 0;
};

struct Job {
    const char *name;
    Sides (*make)(int processes); // processes: the square of an even number
    int64_t message_bytes = dri::planner::PlanOptions{}.message_bytes;
};

const std::vector<Job> &jobs();

} // namespace plan_bench
