/*
 * A source, a sink that must receive every frame, and a slow display that may miss frames.
 * Run on 4 processes.
 */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include <dri/dri.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { rows = 60, columns = 40, frames = 200 };

static void ok(int code) {
    if (code == DRI_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", DRI_error_string(code), DRI_error_message());
    exit(EXIT_FAILURE);
}

static int32_t value(int64_t element, int64_t frame) { return (int32_t)(element + 10000 * frame); }

/* The matrix, cut by rows among the processes from first to last. */
static DRI_Dist distribute(DRI_Gdo matrix, int first, int last) {
    const int ranks[] = {0, 1, 2, 3};
    DRI_Group group;
    DRI_Part by_rows;
    DRI_Dist dist;
    ok(DRI_group_create(last - first + 1, ranks + first, &group));
    ok(DRI_part_create_blocks(2, 0, &by_rows));
    ok(DRI_dist_create(matrix, by_rows, group, &dist));
    return dist;
}

static int64_t count_wrong(const void *buffer, int64_t frame) {
    int64_t wrong = 0;
    for (int64_t i = 0; i < (int64_t)rows * columns; ++i)
        wrong += ((const int32_t *)buffer)[i] != value(i, frame);
    return wrong;
}

int main(int argc, char **argv) {
    const int64_t sizes[] = {rows, columns};
    int rank, code = DRI_SUCCESS;
    int64_t wrong = 0, expected = 0;
    DRI_Group all;
    DRI_Gdo matrix;
    DRI_Xfer xfer;
    DRI_Frame about;
    DRI_Xfer_info info;
    void *buffer;

    ok(DRI_init(&argc, &argv));
    ok(DRI_world_rank(&rank));
    ok(DRI_group_create_world(&all));
    ok(DRI_gdo_create(2, DRI_INT32, sizes, &matrix));
    /* [declare] */
    if (rank <= 1) { /* the source, which numbers its frames */
        ok(DRI_xfer_create("image", DRI_SOURCE, distribute(matrix, 0, 1), DRI_ROW_MAJOR, 2, NULL, &xfer));
        ok(DRI_xfer_set_attr(xfer, DRI_ATTR_STREAM, 1));
    } else if (rank == 2) { /* the recorder, which holds the source back if it is slow */
        ok(DRI_xfer_create("image", DRI_SINK, distribute(matrix, 2, 2), DRI_ROW_MAJOR, 2, NULL, &xfer));
        ok(DRI_xfer_set_attr(xfer, DRI_ATTR_ON_FULL, DRI_HOLD)); /* the default */
    } else {
        /* The display, which may miss frames. */
        ok(DRI_xfer_create("image", DRI_SINK, distribute(matrix, 3, 3), DRI_ROW_MAJOR, 1, NULL, &xfer));
        ok(DRI_xfer_set_attr(xfer, DRI_ATTR_ON_FULL, DRI_DROP));
    }
    ok(DRI_commit(all));
    /* [/declare] */

    for (int frame = 0; rank <= 1 && frame < frames; ++frame) {
        ok(DRI_xfer_get_buffer(xfer, &buffer));
        for (int64_t i = 0; i < rows / 2 * columns; ++i)
            ((int32_t *)buffer)[i] = value(rank * (rows / 2 * columns) + i, frame);
        ok(DRI_do("image", DRI_XFER_NULL));
    }
    if (rank <= 1)
        ok(DRI_xfer_close(xfer));

    /* [sink] */
    while (rank > 1 && (code = DRI_extract(xfer, &buffer, &about)) == DRI_SUCCESS) {
        const struct timespec pause = {0, 2000000};
        if (rank == 2)
            wrong += about.number != expected++; /* the recorder misses nothing */
        else
            wrong += about.number < expected; /* the display may miss frames: see the number */
        expected = about.number + 1;
        wrong += count_wrong(buffer, about.number);
        if (rank == 3)
            nanosleep(&pause, NULL); /* a slow display */
        ok(DRI_release(xfer));
    }
    if (rank > 1 && code != DRI_END_OF_STREAM)
        ok(code);
    ok(DRI_xfer_get_info(xfer, &info));
    printf("process %d: %lld frames, %lld dropped\n", rank, (long long)info.frames, (long long)info.dropped);
    /* [/sink] */
    if (rank > 1)
        wrong += info.frames + info.dropped != frames;
    ok(DRI_finalize());
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
