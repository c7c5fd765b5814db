#include "halo/field.hpp"

#include "world.hpp"

namespace halo_bench {

namespace {

double value(int64_t row, int64_t column, int64_t frame) {
    return static_cast<double>(row * 7919 + column * 31 + frame);
}

bool is_owned(const Field &field, int64_t row) { return row >= 1 && row <= field.rows; }

} // namespace

void fill(const Field &field, double *array, int64_t frame) {
    const int64_t first = bench::world().rank * field.rows;
    for (int64_t i = 0; i < field.rows + 2; ++i)
        for (int64_t j = 0; j < field.columns; ++j)
            array[i * field.columns + j] = is_owned(field, i) ? value(first + i - 1, j, frame) : -1;
}

int64_t count_wrong(const Field &field, const double *array, int64_t frame) {
    const bench::World world = bench::world();
    const int64_t all = world.size * field.rows, first = world.rank * field.rows;
    int64_t wrong = 0;
    for (int64_t i = 0; i < field.rows + 2; ++i)
        for (int64_t j = 0; j < field.columns; ++j)
            wrong += array[i * field.columns + j] != value((first + i - 1 + all) % all, j, frame);
    return wrong;
}

} // namespace halo_bench
