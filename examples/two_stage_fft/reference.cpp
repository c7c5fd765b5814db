#include "reference.hpp"

#include "process.hpp"
#include "signal.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

namespace fft {

namespace {

// Rows [first_row, first_row + row_count) of the array, as FFTW-MPI distributes them.
struct Rows {
    Array data;
    std::ptrdiff_t first_row = 0;
    std::ptrdiff_t row_count = 0;
};

// Plans a 2-D transform over all processes, in place, on data that are filled in later. FFTW 3.3.10 fails for a
// single column; a single row of the same length gives the same numbers. It also fails for a single element, which
// is its own transform.
Plan plan_by_fftw(int rows, int columns, unsigned planning, Rows &mine) {
    const std::ptrdiff_t n0 = columns == 1 ? 1 : rows;
    const std::ptrdiff_t n1 = columns == 1 ? rows : columns;
    mine.data = make_array(fftwf_mpi_local_size_2d(n0, n1, MPI_COMM_WORLD, &mine.row_count, &mine.first_row));
    mine.row_count = mine.row_count * n1 / columns;
    mine.first_row = mine.first_row * n1 / columns;
    if (n1 == 1)
        return nullptr;
    auto *data = as_fftw(mine.data.get());
    Plan plan(fftwf_mpi_plan_dft_2d(n0, n1, data, data, MPI_COMM_WORLD, FFTW_FORWARD, planning));
    if (!plan)
        throw std::runtime_error("FFTW has no parallel transform for this size");
    return plan;
}

Rows transform_by_fftw(int rows, int columns, unsigned planning) {
    Rows mine;
    const Plan plan = plan_by_fftw(rows, columns, planning, mine);
    fill_rows(mine.data.get(), mine.first_row, mine.first_row + mine.row_count, columns);
    if (plan)
        fftwf_execute(plan.get());
    return mine;
}

// FFTW chooses its own block sizes. dri::sizes() describes them as they are.
dri::Dist<cfloat, 2> distribution_of(const Lines &lines, const dri::Gdo<cfloat, 2> &array) {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(process_count()));
    MPI_Allgather(&lines.count, 1, MPI_INT64_T, counts.data(), 1, MPI_INT64_T, MPI_COMM_WORLD);
    const dri::Partition cuts(dri::sizes(counts), dri::whole());
    return {array, lines.dim == 0 ? cuts : cuts.turned({1, 0})};
}

double compare(const TwoStageFft::Columns &result, const cfloat *reference, int rows) {
    const std::int64_t count = (result.last - result.first) * rows;
    double difference = 0;
    double magnitude = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const double d = std::abs(result.data[i] - reference[i]);
        difference = std::isfinite(d) ? std::max(difference, d) : std::numeric_limits<double>::infinity();
        magnitude = std::max(magnitude, static_cast<double>(std::abs(reference[i])));
    }
    const auto all = greatest({difference, magnitude});
    return all[0] > 0 ? all[0] / all[1] : 0.0;
}

} // namespace

double relative_difference(const TwoStageFft &transform, const Lines &other, int rows) {
    const dri::Dist<cfloat, 2> by_fftw = distribution_of(other, transform.array());
    const dri::Source source("reference", by_fftw, {.layout = other.dim == 0 ? dri::row_major : dri::col_major},
                             std::span(other.data, static_cast<std::size_t>(by_fftw.held())));
    const dri::Sink sink("reference", transform.by_columns(), {.layout = dri::col_major});
    dri::commit();
    dri::run("reference");
    return compare(transform.result(), sink.buffer().data(), rows);
}

double relative_error(const TwoStageFft &transform, int rows, int columns, unsigned planning) {
    const Rows reference = transform_by_fftw(rows, columns, planning);
    return relative_difference(transform, {0, reference.row_count, reference.data.get()}, rows);
}

} // namespace fft
