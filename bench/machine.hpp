// Describes the machine of a measurement, because results depend on it.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace bench {

struct Machine {
    std::string cpu;
    int cores = 0;                   // online in the system
    int cores_allowed = 0;           // available to the first process
    std::vector<std::string> caches; // "L1 Data 32K"
    std::string mpi, fftw, dri;
    std::string limit_isa; // instruction set of the non-temporal copy
};

Machine describe_machine();

// Collective. Nanoseconds from when process 0 sets a flag in shared memory until it sees the answer of process 1.
// Empty if process 1 is not on the same node.
std::optional<double> flag_round_trip_ns();

// Near cores share a cache; their round trip is shorter than this.
inline constexpr double near_round_trip_ns = 250;

} // namespace bench
