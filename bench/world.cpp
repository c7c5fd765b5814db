#include "world.hpp"

#include <dri/dri.h>

#include <limits>

namespace bench {

World world() {
    World w;
    MPI_Comm_rank(MPI_COMM_WORLD, &w.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &w.size);
    return w;
}

namespace {

std::string from_rank(int rank, std::string text) {
    auto size = static_cast<int>(text.size());
    MPI_Bcast(&size, 1, MPI_INT, rank, MPI_COMM_WORLD);
    text.resize(static_cast<size_t>(size));
    MPI_Bcast(text.data(), size, MPI_BYTE, rank, MPI_COMM_WORLD);
    return text;
}

} // namespace

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

std::string from_first(std::string mine) { return from_rank(0, std::move(mine)); }

bool on_all(bool mine) { return sum(mine ? 0 : 1) == 0; }

void check(int dri_code) {
    if (dri_code != DRI_SUCCESS)
        throw std::runtime_error(DRI_error_message());
}

void agree_or_fail(const std::string &failure) {
    const int none = std::numeric_limits<int>::max(), mine = failure.empty() ? none : world().rank;
    int first = none;
    MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first != none)
        throw SharedFailure("process " + std::to_string(first) + ": " + from_rank(first, failure));
}

} // namespace bench
