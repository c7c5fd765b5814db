#include "world.hpp"

#include <dri/dri.h>

#include <stdexcept>

namespace bench {

World world() {
    World w;
    MPI_Comm_rank(MPI_COMM_WORLD, &w.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &w.size);
    return w;
}

double greatest(double mine) {
    double all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

int64_t sum(int64_t mine) {
    int64_t all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

int64_t from_first(int64_t mine) {
    MPI_Bcast(&mine, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    return mine;
}

std::string from_first(std::string mine) {
    mine.resize(static_cast<size_t>(from_first(static_cast<int64_t>(mine.size()))));
    MPI_Bcast(mine.data(), static_cast<int>(mine.size()), MPI_BYTE, 0, MPI_COMM_WORLD);
    return mine;
}

bool on_all(bool mine) { return sum(mine ? 0 : 1) == 0; }

void check(int dri_code) {
    if (dri_code != DRI_SUCCESS)
        throw std::runtime_error(DRI_error_message());
}

} // namespace bench
