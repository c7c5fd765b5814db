#include "fftw_transform.hpp"

#include "process.hpp"
#include "reference.hpp"
#include "signal.hpp"

#include <algorithm>

namespace fft {

namespace {

Plan required(fftwf_plan plan) {
    Plan owned(plan);
    if (greatest({owned ? 0.0 : 1.0})[0] > 0)
        throw SharedFailure("FFTW has no parallel transform for this size");
    return owned;
}

} // namespace

FftwTransform::FftwTransform(int rows, int columns, unsigned planning) : rows_(rows) {
    const std::ptrdiff_t elements = fftwf_mpi_local_size_2d_transposed(
        rows, columns, MPI_COMM_WORLD, &row_count_, &first_row_, &column_count_, &first_column_);
    data_ = make_array(elements);
    auto *const data = as_fftw(data_.get());
    whole_ = required(fftwf_mpi_plan_dft_2d(rows, columns, data, data, MPI_COMM_WORLD, FFTW_FORWARD,
                                            planning | FFTW_MPI_TRANSPOSED_OUT));
    constexpr std::ptrdiff_t floats = 2; // of an element
    turn_ =
        required(fftwf_mpi_plan_many_transpose(rows, columns, floats, FFTW_MPI_DEFAULT_BLOCK,
                                               FFTW_MPI_DEFAULT_BLOCK, *data, *data, MPI_COMM_WORLD, planning));
    along_rows_ = plan_lines(columns, row_count_, data_.get(), planning);
    along_columns_ = plan_lines(rows, column_count_, data_.get(), planning);

    input_count_ = row_count_ * columns;
    input_ = make_array(input_count_);
    fill_rows(input_.get(), first_row_, first_row_ + row_count_, columns);
}

void FftwTransform::load() { std::copy_n(input_.get(), input_count_, data_.get()); }

void FftwTransform::whole() { fftwf_execute(whole_.get()); }

void FftwTransform::along_rows() {
    if (along_rows_)
        fftwf_execute(along_rows_.get());
}

void FftwTransform::turn() { fftwf_execute(turn_.get()); }

void FftwTransform::along_columns() {
    if (along_columns_)
        fftwf_execute(along_columns_.get());
}

double FftwTransform::difference(const TwoStageFft &other) const {
    return relative_difference(other, {1, column_count_, data_.get()}, rows_);
}

} // namespace fft
