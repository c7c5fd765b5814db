// Checks the plans of all processes of a job against each other, and prints a plan.
#pragma once

#include "plan/plan.hpp"

#include <string>
#include <vector>

namespace dri::test {

// Lists the faults of a set of plans, one plan per process of the job. The result is empty if there are none.
// Faults are:
// - a send without its receive, or with another length;
// - a pull whose peer does not list the puller;
// - a copy that leaves its buffer or message.
// buffers: bytes of each process's source and sink buffer.
struct BufferBytes {
    int64_t source = 0, sink = 0;
};
std::string check_plans(const std::vector<plan::Plan> &plans, const std::vector<BufferBytes> &buffers);

std::string to_text(const plan::Plan &plan);

} // namespace dri::test
