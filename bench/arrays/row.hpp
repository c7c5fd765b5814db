// One thing that is measured: the library beside the same done by hand.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace array_bench {

struct Row {
    std::string name, peer;
    double goal = 0;     // of the library's time to the peer's; 0: none
    double goal_us = 0;  // more than the peer's time, in us
    double most_seconds; // of a call by the peer, about; it decides how often a measurement repeats
    std::function<void(std::int64_t n)> by_dri, by_hand; // n times
    std::function<std::int64_t()> wrong;                 // of both, after they ran equally often; on this process
};

// Each is collective over the world, and so are the functions of its rows.
std::vector<std::function<Row()>> piece_rows();
std::vector<std::function<Row()>> jacobi_rows();
std::vector<std::function<Row()>> move_rows();
std::vector<std::function<Row()>> sum_rows();

} // namespace array_bench
