/*
 * One source and two sinks of one name. The first sink receives all columns, the second one a box of the matrix in
 * double and scaled. Two processes hold an endpoint of each side.
 * Run on 4 processes.
 */
#include <dri/dri.h>
#include <stdio.h>
#include <stdlib.h>

enum { rows = 120, columns = 80, first_row = 20, box_rows = 45, first_column = 10, box_columns = 20, frames = 6 };

static void ok(int code) {
    if (code == DRI_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", DRI_error_string(code), DRI_error_message());
    exit(EXIT_FAILURE);
}

static float value(int64_t row, int64_t column, int frame) { return (float)(row * columns + column + 7 * frame); }

int main(int argc, char **argv) {
    const int64_t sizes[] = {rows, columns};
    int rank;
    DRI_Group all;
    DRI_Gdo matrix;
    DRI_Part by_rows, by_columns;
    DRI_Dist in, out;
    DRI_Xfer source, turned, boxed = DRI_XFER_NULL;
    DRI_Part_tuple given[2], turned_part[2], boxed_part[2];

    ok(DRI_init(&argc, &argv));
    ok(DRI_world_rank(&rank));
    ok(DRI_group_create_world(&all));
    ok(DRI_gdo_create(2, DRI_FLOAT, sizes, &matrix));
    ok(DRI_part_create_blocks(2, 0, &by_rows));
    ok(DRI_part_create_blocks(2, 1, &by_columns));
    ok(DRI_dist_create(matrix, by_rows, all, &in));
    ok(DRI_dist_create(matrix, by_columns, all, &out));
    ok(DRI_dist_get_part(in, rank, given));
    ok(DRI_dist_get_part(out, rank, turned_part));

    /* [declare] */
    ok(DRI_xfer_create("turn", DRI_SOURCE, in, DRI_ROW_MAJOR, 2, NULL, &source));
    ok(DRI_xfer_create("turn", DRI_SINK, out, DRI_COL_MAJOR, 1, NULL, &turned));

    const int box_ranks[] = {2, 3};
    if (rank >= box_ranks[0]) { /* a second sink of the same name, on the processes 2 and 3 */
        const int64_t offsets[] = {first_row, first_column}, box_sizes[] = {box_rows, box_columns};
        DRI_Gdo as_double, box;
        DRI_Group two;
        DRI_Dist box_dist;
        ok(DRI_gdo_create(2, DRI_DOUBLE, sizes, &as_double)); /* the sizes of the source's array */
        ok(DRI_gdo_subset(as_double, offsets, box_sizes, &box));
        ok(DRI_group_create(2, box_ranks, &two));
        ok(DRI_dist_create(box, by_rows, two, &box_dist));
        ok(DRI_dist_get_part(box_dist, rank, boxed_part));
        ok(DRI_xfer_create("turn", DRI_SINK, box_dist, DRI_ROW_MAJOR, 1, NULL, &boxed));
        ok(DRI_xfer_set_attr(boxed, DRI_ATTR_CONVERT, 1)); /* the type differs from the source's */
        ok(DRI_xfer_set_scale(boxed, 0.5));
    }
    ok(DRI_commit(all));
    /* [/declare] */

    int64_t wrong = 0;
    void *buffer;
    for (int frame = 0; frame < frames; ++frame) {
        ok(DRI_xfer_get_buffer(source, &buffer));
        float *element = (float *)buffer;
        for (int64_t row = given[0].left_x; row < given[0].right_x; ++row)
            for (int64_t column = 0; column < columns; ++column)
                *element++ = value(row, column, frame);

        /* [frame] */
        if (frame % 2 == 0) {
            ok(DRI_do("turn", DRI_XFER_NULL)); /* by name: every endpoint that this process holds */
        } else {
            ok(DRI_do(NULL, source)); /* by handle: this endpoint alone */
            ok(DRI_do(NULL, turned));
            if (rank >= box_ranks[0])
                ok(DRI_do(NULL, boxed));
        }
        /* [/frame] */

        ok(DRI_xfer_get_buffer(turned, &buffer));
        element = (float *)buffer;
        for (int64_t column = turned_part[1].left_x; column < turned_part[1].right_x; ++column)
            for (int64_t row = 0; row < rows; ++row)
                wrong += *element++ != value(row, column, frame);
        if (rank < box_ranks[0])
            continue;
        ok(DRI_xfer_get_buffer(boxed, &buffer));
        const double *number = (const double *)buffer;
        for (int64_t row = boxed_part[0].left_x; row < boxed_part[0].right_x; ++row)
            for (int64_t column = 0; column < box_columns; ++column)
                wrong += *number++ != 0.5 * (double)value(first_row + row, first_column + column, frame);
    }
    printf("process %d: %lld elements are wrong\n", rank, (long long)wrong);
    ok(DRI_finalize());
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
