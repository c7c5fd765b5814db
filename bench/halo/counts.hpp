// What a process does in a stretch of time beside moving bytes: calls of MPI, and switches to other processes.
#pragma once

#include <cstdint>

namespace halo_bench {

struct Counts {
    int64_t starts = 0;   // MPI_Isend, MPI_Issend and MPI_Irecv
    int64_t looks = 0;    // MPI_Test, MPI_Testsome, MPI_Waitall, MPI_Iprobe, MPI_Improbe
    int64_t switches = 0; // context switches
    friend Counts operator-(const Counts &a, const Counts &b) {
        return {a.starts - b.starts, a.looks - b.looks, a.switches - b.switches};
    }
};

// Of the calling process, since it started. MPI's profiling interface counts the calls, also those that the
// library makes.
Counts counts();

} // namespace halo_bench
