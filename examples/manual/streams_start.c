/*
 * A corner turn moves while the program computes: DRI_start, DRI_test, DRI_wait.
 * Run on 4 processes.
 */
#include <dri/dri.h>
#include <stdio.h>
#include <stdlib.h>

enum { rows = 300, columns = 200, frames = 8, pieces = 5 };

static void ok(int code) {
    if (code == DRI_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", DRI_error_string(code), DRI_error_message());
    exit(EXIT_FAILURE);
}

static float value(int64_t row, int64_t column, int frame) { return (float)(row * columns + column + frame); }

static double work_on_something_else(int piece) {
    double sum = 0;
    for (int i = 1; i < 20000; ++i)
        sum += piece / (double)i;
    return sum;
}

int main(int argc, char **argv) {
    const int64_t sizes[] = {rows, columns};
    int rank, done, tested = 0;
    int64_t wrong = 0;
    double sum = 0;
    DRI_Group all;
    DRI_Gdo matrix;
    DRI_Part by_rows, by_columns;
    DRI_Dist in, out;
    DRI_Xfer source, sink;
    DRI_Part_tuple given[2], received[2];
    void *buffer;

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
    ok(DRI_xfer_create("turn", DRI_SOURCE, in, DRI_ROW_MAJOR, 2, NULL, &source));
    ok(DRI_xfer_create("turn", DRI_SINK, out, DRI_COL_MAJOR, 2, NULL, &sink));
    ok(DRI_commit(all));

    for (int frame = 0; frame < frames; ++frame) {
        ok(DRI_xfer_get_buffer(source, &buffer));
        float *element = (float *)buffer;
        for (int64_t row = given[0].left_x; row < given[0].right_x; ++row)
            for (int64_t column = 0; column < columns; ++column)
                *element++ = value(row, column, frame);

        /* [start] */
        ok(DRI_start("turn", DRI_XFER_NULL));
        done = 0;
        for (int piece = 0; piece < pieces; ++piece) {
            sum += work_on_something_else(piece);
            if (!done) /* also moves the frame on */
                ok(DRI_test("turn", DRI_XFER_NULL, &done));
            else /* nothing is started now, so DRI_test would fail; this moves other transfers */
                ok(DRI_progress());
        }
        ok(DRI_wait("turn", DRI_XFER_NULL)); /* returns at once if DRI_test has completed the frame */
        /* [/start] */
        tested += done;

        /* [twice] */
        if (DRI_wait("turn", DRI_XFER_NULL) != DRI_ERR_STATE) /* the frame is complete already */
            ++wrong;
        /* [/twice] */

        ok(DRI_xfer_get_buffer(sink, &buffer));
        element = (float *)buffer;
        for (int64_t column = received[1].left_x; column < received[1].right_x; ++column)
            for (int64_t row = 0; row < rows; ++row)
                wrong += *element++ != value(row, column, frame);
    }
    printf("process %d: DRI_test completed %d of %d frames; %lld are wrong; %g\n", rank, tested, (int)frames,
           (long long)wrong, sum);
    ok(DRI_finalize());
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
