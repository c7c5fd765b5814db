#pragma once

#include "parallel_fftw.hpp"

#include <dri/dri.hpp>

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

    const dri::Gdo<cfloat, 2> &array() const { return array_; }
    const dri::Dist<cfloat, 2> &by_columns() const { return sink_.dist(); }

private:
    dri::Gdo<cfloat, 2> array_;
    dri::Source<cfloat, 2> source_;
    dri::Sink<cfloat, 2> sink_;
    Array input_;
    std::span<cfloat> rows_, columns_; // the buffers of the source and the sink
    Plan row_plan_, column_plan_;      // null on a process without rows or columns
};

} // namespace fft
