/*
 * A source whose frames go to three processes in turn: each takes every third frame.
 * Run on 4 processes.
 */
#include <dri/dri.h>
#include <stdio.h>
#include <stdlib.h>

enum { rows = 60, columns = 40, workers = 3, frames = 20 };

static void ok(int code) {
    if (code == DRI_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", DRI_error_string(code), DRI_error_message());
    exit(EXIT_FAILURE);
}

static int32_t value(int64_t element, int64_t frame) { return (int32_t)(element + 10000 * frame); }

/* The whole matrix on one process. */
static DRI_Dist distribute(DRI_Gdo matrix, int rank) {
    DRI_Group group;
    DRI_Part by_rows;
    DRI_Dist dist;
    ok(DRI_group_create(1, &rank, &group));
    ok(DRI_part_create_blocks(2, 0, &by_rows));
    ok(DRI_dist_create(matrix, by_rows, group, &dist));
    return dist;
}

int main(int argc, char **argv) {
    const int64_t sizes[] = {rows, columns};
    int rank, code = DRI_SUCCESS;
    int64_t wrong = 0, taken = 0;
    DRI_Group all;
    DRI_Gdo matrix;
    DRI_Xfer xfer;
    DRI_Frame about;
    void *buffer;

    ok(DRI_init(&argc, &argv));
    ok(DRI_world_rank(&rank));
    ok(DRI_group_create_world(&all));
    ok(DRI_gdo_create(2, DRI_INT32, sizes, &matrix));
    /* [declare] */
    if (rank == 0) { /* the source: one buffer for each worker */
        ok(DRI_xfer_create("dwells", DRI_SOURCE, distribute(matrix, 0), DRI_ROW_MAJOR, workers, NULL, &xfer));
        ok(DRI_xfer_set_attr(xfer, DRI_ATTR_STREAM, 1));
    } else { /* workers 0, 1 and 2 */
        ok(DRI_xfer_create("dwells", DRI_SINK, distribute(matrix, rank), DRI_ROW_MAJOR, 1, NULL, &xfer));
        ok(DRI_xfer_set_attr(xfer, DRI_ATTR_EVERY, workers));
        ok(DRI_xfer_set_attr(xfer, DRI_ATTR_PHASE, rank - 1));
    }
    ok(DRI_commit(all));
    /* [/declare] */

    for (int frame = 0; rank == 0 && frame < frames; ++frame) {
        ok(DRI_xfer_get_buffer(xfer, &buffer));
        for (int64_t i = 0; i < (int64_t)rows * columns; ++i)
            ((int32_t *)buffer)[i] = value(i, frame);
        ok(DRI_do("dwells", DRI_XFER_NULL));
    }
    if (rank == 0)
        ok(DRI_xfer_close(xfer));

    /* [sink] */
    while (rank > 0 && (code = DRI_extract(xfer, &buffer, &about)) == DRI_SUCCESS) {
        wrong += about.number != rank - 1 + workers * taken++; /* the source's number */
        for (int64_t i = 0; i < (int64_t)rows * columns; ++i)
            wrong += ((const int32_t *)buffer)[i] != value(i, about.number);
        ok(DRI_release(xfer));
    }
    if (rank > 0 && code != DRI_END_OF_STREAM)
        ok(code);
    /* [/sink] */
    wrong += rank > 0 && taken != (rank == 3 ? 6 : 7); /* of 20 frames */
    ok(DRI_finalize());
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
