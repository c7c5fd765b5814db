// Common steps of the processes beside moving arrays: failing together and measuring stages.
#pragma once

#include "program.hpp"

#include <string>
#include <utility>
#include <vector>

namespace sar {

using common::broadcast, common::Failure, common::is_first_process, common::on_first_process;
using common::exit_data, common::exit_internal, common::exit_ok, common::exit_output, common::exit_usage;

// Seconds that this process spent in each stage, including waits for other processes.
class StageTimes {
public:
    template <typename Work> void measure(const std::string &stage, Work &&work) {
        const double start = now();
        std::forward<Work>(work)();
        seconds_.emplace_back(stage, now() - start);
    }

    // Collective. Returns the table of the slowest process's times; empty on all processes except the first.
    std::string table() const;

private:
    static double now();
    std::vector<std::pair<std::string, double>> seconds_;
};

} // namespace sar
