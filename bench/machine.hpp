// What a number is worth depends on where it was measured.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace bench {

struct Machine {
    std::string cpu;
    int cores = 0;                   // that the system has online
    int cores_allowed = 0;           // that the first process may use
    std::vector<std::string> caches; // "L1 Data 32K"
    std::string mpi, fftw, dri;
    std::string limit_isa; // of the non-temporal copy
};

Machine describe_machine();

// Collective. Nanoseconds from setting a flag in shared memory to seeing the answer of process 1, for process 0.
// Nothing if there is no process 1 on the same node.
std::optional<double> flag_round_trip_ns();

// Cores that share a cache answer faster.
inline constexpr double near_round_trip_ns = 250;

} // namespace bench
