#include "process.hpp"

#include <mpi.h>

#include <algorithm>

namespace fft {

int rank() {
    int r = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    return r;
}

int process_count() {
    int n = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    return n;
}

std::vector<double> greatest(std::vector<double> values) {
    MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_MAX,
                  MPI_COMM_WORLD);
    return values;
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const auto n = values.size();
    return 0.5 * (values[(n - 1) / 2] + values[n / 2]);
}

double now() { return MPI_Wtime(); }

double synchronised_now() {
    MPI_Barrier(MPI_COMM_WORLD);
    return now();
}

} // namespace fft
