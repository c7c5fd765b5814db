#include "halo/field.hpp"

#include "world.hpp"

namespace halo_bench {

namespace {

double value(int64_t row, int64_t column, int64_t frame) {
    return static_cast<double>(row * 7919 + column * 31 + frame);
}

bool is_owned(const Field &field, int64_t row, int64_t column) {
    return row >= 1 && row <= field.rows && column >= field.edge() && column < field.columns + field.edge();
}

// The value that belongs at a place of the calling process's array.
double right_value(const Field &field, int64_t row, int64_t column, int64_t frame) {
    const Grid grid = field.grid();
    const int64_t rank = bench::world().rank, all_rows = grid.rows * field.rows,
                  all_columns = grid.columns * field.columns;
    const int64_t i = rank / grid.columns * field.rows + row - 1,
                  j = rank % grid.columns * field.columns + column - field.edge();
    return value((i + all_rows) % all_rows, (j + all_columns) % all_columns, frame);
}

} // namespace

Grid Field::grid() const {
    const int64_t all = bench::world().size;
    int64_t columns_of = 1;
    for (int64_t n = 1; square && n * n <= all; ++n)
        if (all % n == 0)
            columns_of = n;
    return {all / columns_of, columns_of};
}

void fill(const Field &field, double *array, int64_t frame) {
    for (int64_t i = 0; i < field.rows + 2; ++i)
        for (int64_t j = 0; j < field.width(); ++j)
            array[i * field.width() + j] = is_owned(field, i, j) ? right_value(field, i, j, frame) : -1;
}

int64_t count_wrong(const Field &field, const double *array, int64_t frame) {
    int64_t wrong = 0;
    for (int64_t i = 0; i < field.rows + 2; ++i)
        for (int64_t j = 0; j < field.width(); ++j)
            wrong += array[i * field.width() + j] != right_value(field, i, j, frame);
    return wrong;
}

} // namespace halo_bench
