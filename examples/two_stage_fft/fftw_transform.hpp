#pragma once

#include "parallel_fftw.hpp"
#include "two_stage_fft.hpp"

namespace fft {

// FFTW's own parallel transform of the same array, in place, which is its faster form, and with transposed output.
// As with TwoStageFft, each process ends with some columns, each contiguous.
class FftwTransform {
public:
    // Collective. Needs at least two rows and two columns. planning: FFTW's planning flag.
    FftwTransform(int rows, int columns, unsigned planning);

    void load(); // copies the input into the array
    void whole();

    // The stages of FFTW's transform as separate plans, to measure each alone. Together they do not give the
    // transform.
    void along_rows();
    void turn();
    void along_columns();

    // Collective: max |difference| / max |value| between both results, after whole() of both. Infinite if a value
    // is not finite.
    double difference(const TwoStageFft &other) const;

private:
    int rows_;
    std::ptrdiff_t input_count_ = 0;
    std::ptrdiff_t row_count_ = 0, first_row_ = 0, column_count_ = 0, first_column_ = 0;
    Array input_, data_;
    Plan whole_, along_rows_, turn_, along_columns_; // local plans are null on a process without lines
};

} // namespace fft
