// The corner turn that several kinds of cases run.
#pragma once

#include "support/conformance.hpp"
#include "support/world.hpp"

namespace dri::test {

// Both sides of a corner turn from rows to columns over the first `procs` processes.
struct CornerTurn {
    Group group;
    Dist rows, columns;
    DRI_Part_tuple row{}, column{}; // the rows and the columns that this process holds

    CornerTurn(const Numbers &sizes, DRI_Type type, int procs) : group(make_group(ranks(procs))) {
        const Gdo gdo = make_gdo(sizes, type);
        rows = make_dist(gdo, make_blocks(2, 0), group);
        columns = make_dist(gdo, make_blocks(2, 1), group);
        DRI_Part_tuple tuples[2];
        expect_success(DRI_dist_get_part(rows, world().rank, tuples), "DRI_dist_get_part");
        row = tuples[0];
        expect_success(DRI_dist_get_part(columns, world().rank, tuples), "DRI_dist_get_part");
        column = tuples[1];
    }
    int64_t num_rows() const { return row.right_x - row.left_x; }
    int64_t num_columns() const { return column.right_x - column.left_x; }
};

} // namespace dri::test
