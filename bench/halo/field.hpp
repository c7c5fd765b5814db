// A periodic field of doubles with one row of overlap before and behind the rows of each process. It is cut by
// rows among all processes. A square field is cut by rows and columns, and also has columns of overlap, with
// corners.
#pragma once

#include <cstdint>

namespace halo_bench {

struct Grid {
    int64_t rows = 1, columns = 1; // numbers of processes
};

struct Field {
    int64_t rows = 8;    // of each process, without overlap
    int64_t columns = 1; // of each process, without overlap: the length of a row
    bool square = false;
    int64_t bytes_of_row() const { return columns * int64_t{sizeof(double)}; }
    int64_t edge() const { return square ? 1 : 0; } // columns of overlap at either side
    int64_t width() const { return columns + 2 * edge(); }
    int64_t size() const { return (rows + 2) * width(); }
    Grid grid() const; // of all processes
};

// Writes the owned elements of the calling process, as they are in one frame, and wrong numbers into the overlap.
// The array begins with the overlap.
void fill(const Field &field, double *array, int64_t frame);

// The number of wrong elements of the calling process after that frame.
int64_t count_wrong(const Field &field, const double *array, int64_t frame);

} // namespace halo_bench
