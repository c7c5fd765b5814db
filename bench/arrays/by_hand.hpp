// Rows of a field with a halo row at either end, as a program without the library has them.
#pragma once

#include "world.hpp"

#include <array>
#include <vector>

namespace array_bench {

// The rows that a process owns of n: blocks whose sizes differ by one at most, larger ones last.
struct Rows {
    explicit Rows(std::int64_t n) {
        const bench::World world = bench::world();
        const std::int64_t size = world.size, small = n / size, first_large = size - n % size;
        const auto start = [=](std::int64_t k) { return k * small + (k > first_large ? k - first_large : 0); };
        first = start(world.rank);
        count = start(world.rank + 1) - first;
    }
    std::int64_t first = 0, count = 0;
};

class HandField {
public:
    HandField(std::int64_t n, std::int64_t columns)
        : rows_(n), columns_(columns), memory_(static_cast<std::size_t>((rows_.count + 2) * columns)) {
        const bench::World world = bench::world();
        before_ = world.rank > 0 ? world.rank - 1 : MPI_PROC_NULL;
        behind_ = world.rank + 1 < world.size ? world.rank + 1 : MPI_PROC_NULL;
    }

    const Rows &rows() const { return rows_; }
    // Row i of this process, from -1 to the number of its rows.
    double *row(std::int64_t i) { return memory_.data() + (i + 1) * columns_; }

    void exchange() {
        const auto n = static_cast<int>(columns_);
        std::array<MPI_Request, 4> requests{};
        MPI_Irecv(row(-1), n, MPI_DOUBLE, before_, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(row(rows_.count), n, MPI_DOUBLE, behind_, 0, MPI_COMM_WORLD, &requests[1]);
        MPI_Isend(row(0), n, MPI_DOUBLE, before_, 0, MPI_COMM_WORLD, &requests[2]);
        MPI_Isend(row(rows_.count - 1), n, MPI_DOUBLE, behind_, 1, MPI_COMM_WORLD, &requests[3]);
        MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
    }
    void swap(HandField &other) { memory_.swap(other.memory_); }

private:
    Rows rows_;
    std::int64_t columns_;
    std::vector<double> memory_;
    int before_ = 0, behind_ = 0;
};

} // namespace array_bench
