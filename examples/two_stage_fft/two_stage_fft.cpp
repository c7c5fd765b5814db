#include "two_stage_fft.hpp"

#include "process.hpp"
#include "signal.hpp"

#include <algorithm>

namespace fft {

namespace {

constexpr const char *turn_name = "corner turn";

} // namespace

TwoStageFft::TwoStageFft(int rows, int columns, unsigned planning) : array_(rows, columns) {
    shared([&] {
        source_ = dri::Source(turn_name, dri::Dist(array_, dri::cut_dim<2>(0)));
        sink_ = dri::Sink(turn_name, dri::Dist(array_, dri::cut_dim<2>(1)), {.layout = dri::col_major});
        dri::commit();
    });
    rows_ = source_.part(0).span();
    columns_ = sink_.part(0).span();
    row_plan_ = plan_lines(columns, source_.extent(0), rows_.data(), planning);
    column_plan_ = plan_lines(rows, sink_.extent(1), columns_.data(), planning);

    const DRI_Part_tuple mine = source_.dist().tuples()[0];
    input_ = make_array(source_.dist().owned());
    fill_rows(input_.get(), mine.left_x, mine.right_x, columns);
}

void TwoStageFft::load() { std::copy_n(input_.get(), rows_.size(), rows_.data()); }

void TwoStageFft::whole() {
    along_rows();
    turn();
    along_columns();
}

void TwoStageFft::along_rows() {
    if (row_plan_)
        fftwf_execute(row_plan_.get());
}

void TwoStageFft::turn() { dri::run(turn_name); }

void TwoStageFft::along_columns() {
    if (column_plan_)
        fftwf_execute(column_plan_.get());
}

TwoStageFft::Columns TwoStageFft::result() const {
    const DRI_Part_tuple mine = by_columns().tuples()[1];
    return {mine.left_x, mine.right_x, columns_.data()};
}

} // namespace fft
