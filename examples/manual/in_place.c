/*
 * A corner turn in place: one buffer holds the rows before the frame and the columns after it.
 * Run on 4 processes.
 */
#include <dri/dri.h>
#include <stdio.h>
#include <stdlib.h>

enum { rows = 400, columns = 240, frames = 4 };

static void ok(int code) {
    if (code == DRI_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", DRI_error_string(code), DRI_error_message());
    exit(EXIT_FAILURE);
}

static float value(int64_t row, int64_t column, int frame) { return (float)(row * columns + column + frame); }

int main(int argc, char **argv) {
    const int64_t sizes[] = {rows, columns};
    int rank;
    int64_t wrong = 0;
    DRI_Group all;
    DRI_Gdo matrix;
    DRI_Part by_rows, by_columns;
    DRI_Dist in, out;
    DRI_Xfer source, sink;
    DRI_Part_tuple given[2], received[2];
    size_t bytes, sink_bytes;
    void *buffers[1];

    ok(DRI_init(&argc, &argv));
    ok(DRI_world_rank(&rank));
    ok(DRI_group_create_world(&all));
    ok(DRI_gdo_create(2, DRI_FLOAT, sizes, &matrix));
    ok(DRI_part_create_blocks(2, 0, &by_rows));
    ok(DRI_part_create_blocks(2, 1, &by_columns));
    ok(DRI_dist_create(matrix, by_rows, all, &in));
    ok(DRI_dist_create(matrix, by_columns, all, &out));
    ok(DRI_dist_get_part(in, rank, given));
    ok(DRI_dist_get_part(out, rank, received));

    /* [declare] */
    ok(DRI_xfer_create("turn", DRI_SOURCE, in, DRI_ROW_MAJOR, 1, NULL, &source)); /* the library's buffer */
    ok(DRI_xfer_create("turn", DRI_SINK, out, DRI_COL_MAJOR, 1, NULL, &sink));
    ok(DRI_xfer_set_attr(source, DRI_ATTR_IN_PLACE, 1));
    ok(DRI_xfer_set_attr(sink, DRI_ATTR_IN_PLACE, 1));
    ok(DRI_commit(all));

    ok(DRI_xfer_buffer_bytes(source, &bytes));
    ok(DRI_xfer_buffer_bytes(sink, &sink_bytes)); /* the buffer has the larger of both sizes */
    ok(DRI_xfer_get_buffers(source, NULL, buffers));
    float *const memory = (float *)buffers[0]; /* the sink's, too */
    /* [/declare] */

    for (int frame = 0; frame < frames; ++frame) {
        /* [frame] */
        float *element = memory;
        for (int64_t row = given[0].left_x; row < given[0].right_x; ++row)
            for (int64_t column = 0; column < columns; ++column)
                *element++ = value(row, column, frame);

        ok(DRI_do("turn", DRI_XFER_NULL)); /* by name: source and sink together */

        element = memory;
        for (int64_t column = received[1].left_x; column < received[1].right_x; ++column)
            for (int64_t row = 0; row < rows; ++row)
                wrong += *element++ != value(row, column, frame);
        /* [/frame] */
    }
    printf("process %d: parts of %lld and %lld bytes in one buffer; %lld elements are wrong\n", rank,
           (long long)bytes, (long long)sink_bytes, (long long)wrong);
    ok(DRI_finalize());
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
