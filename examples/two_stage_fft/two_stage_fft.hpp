#pragma once

#include "parallel_fftw.hpp"

#include <dri/dri.h>

namespace fft {

// The 2-D transform. Each process starts with some rows and ends with some columns, each contiguous.
class TwoStageFft {
public:
    // Collective. planning: FFTW's planning flag.
    TwoStageFft(int rows, int columns, unsigned planning);

    // Copies the input into the source's buffer. In a program that runs continuously, whatever receives the data
    // writes it there.
    void load();
    // One frame consists of these three, in this order. All except the corner turn work in place.
    void along_rows();
    void turn();
    void along_columns();
    void whole();

    // Own columns [first, last) of the result, one after the other.
    struct Columns {
        std::int64_t first, last;
        const cfloat *data;
    };
    Columns result() const;

    DRI_Gdo array() const { return array_; }
    DRI_Dist by_columns() const { return by_columns_; }

private:
    void plan(int rows, int columns, unsigned planning);

    DRI_Gdo array_{};
    DRI_Dist by_rows_{}, by_columns_{};
    DRI_Xfer source_{}, sink_{};
    std::int64_t first_row_ = 0, last_row_ = 0, first_column_ = 0, last_column_ = 0;
    Array input_;
    std::int64_t input_count_ = 0;
    cfloat *rows_ = nullptr;      // the source's buffer
    cfloat *columns_ = nullptr;   // the sink's buffer
    Plan row_plan_, column_plan_; // null on a process without rows or columns
};

} // namespace fft
