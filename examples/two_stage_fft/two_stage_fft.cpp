#include "two_stage_fft.hpp"

#include "process.hpp"
#include "signal.hpp"

#include <algorithm>

namespace fft {

namespace {

constexpr const char *turn_name = "corner turn";

DRI_Dist cut_in_blocks(DRI_Gdo array, int dim, DRI_Group group) {
    DRI_Part part;
    DRI_Dist dist;
    check(DRI_part_create_blocks(2, dim, &part));
    check_shared(DRI_dist_create(array, part, group, &dist));
    check(DRI_part_destroy(&part));
    return dist;
}

// The only buffer of an endpoint. Before a sink's first frame, only DRI_xfer_get_buffers returns its buffer.
cfloat *buffer_of(DRI_Xfer endpoint) {
    void *buffer = nullptr;
    check(DRI_xfer_get_buffers(endpoint, nullptr, &buffer));
    return static_cast<cfloat *>(buffer);
}

} // namespace

TwoStageFft::TwoStageFft(int rows, int columns, unsigned planning) {
    const std::int64_t sizes[] = {rows, columns};
    DRI_Group everyone;
    check(DRI_group_create_world(&everyone));
    check(DRI_gdo_create(2, DRI_COMPLEX_FLOAT, sizes, &array_));
    by_rows_ = cut_in_blocks(array_, 0, everyone);
    by_columns_ = cut_in_blocks(array_, 1, everyone);
    check(DRI_xfer_create(turn_name, DRI_SOURCE, by_rows_, DRI_ROW_MAJOR, 1, nullptr, &source_));
    check(DRI_xfer_create(turn_name, DRI_SINK, by_columns_, DRI_COL_MAJOR, 1, nullptr, &sink_));
    check_shared(DRI_commit(everyone));
    check(DRI_group_destroy(&everyone));
    plan(rows, columns, planning);
}

void TwoStageFft::plan(int rows, int columns, unsigned planning) {
    DRI_Part_tuple mine[2];
    check(DRI_dist_get_part(by_rows_, rank(), mine));
    first_row_ = mine[0].left_x;
    last_row_ = mine[0].right_x;
    check(DRI_dist_get_part(by_columns_, rank(), mine));
    first_column_ = mine[1].left_x;
    last_column_ = mine[1].right_x;

    rows_ = buffer_of(source_);
    columns_ = buffer_of(sink_);
    row_plan_ = plan_lines(columns, last_row_ - first_row_, rows_, planning);
    column_plan_ = plan_lines(rows, last_column_ - first_column_, columns_, planning);

    input_count_ = (last_row_ - first_row_) * columns;
    input_ = make_array(input_count_);
    fill_rows(input_.get(), first_row_, last_row_, columns);
}

void TwoStageFft::load() { std::copy_n(input_.get(), input_count_, rows_); }

void TwoStageFft::whole() {
    along_rows();
    turn();
    along_columns();
}

void TwoStageFft::along_rows() {
    if (row_plan_)
        fftwf_execute(row_plan_.get());
}

void TwoStageFft::turn() { check(DRI_do(turn_name, DRI_XFER_NULL)); }

void TwoStageFft::along_columns() {
    if (column_plan_)
        fftwf_execute(column_plan_.get());
}

TwoStageFft::Columns TwoStageFft::result() const { return {first_column_, last_column_, columns_}; }

} // namespace fft
