/*
 * Two threads share the copies of a transfer, and a progress thread moves frames while the program computes. If
 * MPI does not allow a progress thread, the program goes on without one. Run on 2 processes.
 */
#include <dri/dri.h>
#include <stdio.h>
#include <stdlib.h>

enum { rows = 500, columns = 400, frames = 10 };

static void ok(int code) {
    if (code == DRI_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", DRI_error_string(code), DRI_error_message());
    exit(EXIT_FAILURE);
}

static float value(int64_t row, int64_t column, int frame) { return (float)(row * columns + column + frame); }

static double compute(void) {
    double sum = 0;
    for (int i = 1; i < 200000; ++i)
        sum += 1.0 / (double)i;
    return sum;
}

int main(int argc, char **argv) {
    const int64_t sizes[] = {rows, columns};
    int rank, has_thread = 1;
    int64_t wrong = 0;
    double sum = 0;
    DRI_Group all;
    DRI_Gdo matrix;
    DRI_Part by_rows, by_columns;
    DRI_Dist in, out;
    DRI_Xfer source, sink;
    DRI_Part_tuple given[2], received[2];
    DRI_Xfer_info info;
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
    /* [threads] */
    ok(DRI_xfer_create("turn", DRI_SOURCE, in, DRI_ROW_MAJOR, 2, NULL, &source));
    ok(DRI_xfer_create("turn", DRI_SINK, out, DRI_COL_MAJOR, 2, NULL, &sink));
    ok(DRI_xfer_set_attr(source, DRI_ATTR_THREADS, 2)); /* the caller and one thread of the library */
    ok(DRI_xfer_set_attr(sink, DRI_ATTR_THREADS, 2));
    ok(DRI_xfer_set_attr(sink, DRI_ATTR_SHARE_BYTES, 16384));   /* 16 KiB are worth a thread */
    ok(DRI_xfer_set_attr(source, DRI_ATTR_PROGRESS_THREAD, 1)); /* one endpoint suffices for the process */

    int code = DRI_commit(all);
    if (code == DRI_ERR_UNSUPPORTED) { /* MPI runs below MPI_THREAD_MULTIPLE: the same on all processes */
        has_thread = 0;
        ok(DRI_xfer_set_attr(source, DRI_ATTR_PROGRESS_THREAD, 0));
        code = DRI_commit(all);
    }
    ok(code);
    /* [/threads] */

    for (int frame = 0; frame < frames; ++frame) {
        ok(DRI_xfer_get_buffer(source, &buffer));
        float *element = (float *)buffer;
        for (int64_t row = given[0].left_x; row < given[0].right_x; ++row)
            for (int64_t column = 0; column < columns; ++column)
                *element++ = value(row, column, frame);
        /* [frame] */
        ok(DRI_start("turn", DRI_XFER_NULL));
        sum += compute(); /* the progress thread moves the frame meanwhile */
        ok(DRI_wait("turn", DRI_XFER_NULL));
        /* [/frame] */
        ok(DRI_xfer_get_buffer(sink, &buffer));
        element = (float *)buffer;
        for (int64_t column = received[1].left_x; column < received[1].right_x; ++column)
            for (int64_t row = 0; row < rows; ++row)
                wrong += *element++ != value(row, column, frame);
    }
    ok(DRI_xfer_get_info(sink, &info));
    wrong += info.threads != 2 || !(sum > 0);
    printf("process %d: %lld threads, %s progress thread, %lld elements are wrong\n", rank,
           (long long)info.threads, has_thread ? "a" : "no", (long long)wrong);
    ok(DRI_finalize());
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
