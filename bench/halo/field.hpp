// A field of doubles, cut by rows among all processes. Each process has one row of overlap before and behind its
// rows, and the field is periodic.
#pragma once

#include <cstdint>

namespace halo_bench {

struct Field {
    int64_t rows = 8;    // of each process
    int64_t columns = 1; // length of a row
    int64_t bytes_of_row() const { return columns * int64_t{sizeof(double)}; }
    int64_t size() const { return (rows + 2) * columns; }
};

// Writes the owned rows of the calling process, as they are in one frame, and wrong numbers into the overlap.
// The array begins with the overlap.
void fill(const Field &field, double *array, int64_t frame);

// The number of wrong elements of the calling process after that frame.
int64_t count_wrong(const Field &field, const double *array, int64_t frame);

} // namespace halo_bench
