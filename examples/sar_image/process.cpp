#include "process.hpp"

#include <cstdio>
#include <mpi.h>

namespace sar {

double StageTimes::now() { return MPI_Wtime(); }

std::string StageTimes::table() const {
    std::string text = "Time of each stage on the slowest process, including waits:\n";
    double total = 0;
    for (const auto &[stage, seconds] : seconds_) {
        double slowest = 0;
        MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
        total += slowest;
        char line[96];
        std::snprintf(line, sizeof line, "  %-34s %9.2f ms\n", stage.c_str(), 1e3 * slowest);
        text += line;
    }
    char line[96];
    std::snprintf(line, sizeof line, "  %-34s %9.2f ms\n", "sum", 1e3 * total);
    return is_first_process() ? text + line : std::string();
}

} // namespace sar
