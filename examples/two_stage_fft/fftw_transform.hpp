#pragma once

#include "parallel_fftw.hpp"
#include "two_stage_fft.hpp"

namespace fft {

// FFTW's own parallel transform of the same array, in place, which is its faster way, and with transposed output:
// in the end each process holds some columns, each contiguous, as with TwoStageFft.
class FftwTransform {
public:
    // Collective. At least two rows and two columns. planning: FFTW's flag.
    FftwTransform(int rows, int columns, unsigned planning);

    void load(); // puts the input into place
    void whole();

    // What FFTW takes for each part of it alone, by plans of their own. The result is not the transform.
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
    Plan whole_, along_rows_, turn_, along_columns_; // local ones are null on a process without lines
};

} // namespace fft
