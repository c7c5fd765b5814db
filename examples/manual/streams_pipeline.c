/*
 * A pipeline of three processes: the first one measures, the second one computes, the third one stores. Each frame
 * carries a text, and the first process alone knows how many frames there are.
 * Run on 3 processes.
 */
#include <dri/dri.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { rows = 200, columns = 100, elements = rows * columns, frames = 12 };

static void ok(int code) {
    if (code == DRI_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", DRI_error_string(code), DRI_error_message());
    exit(EXIT_FAILURE);
}

static float value(int64_t element, int64_t frame) { return (float)(element + 3 * frame); }

/* One side on one process, which owns the whole matrix. */
static DRI_Xfer declare(const char *name, DRI_Role role, DRI_Dist dist) {
    DRI_Xfer xfer;
    ok(DRI_xfer_create(name, role, dist, DRI_ROW_MAJOR, 2, NULL, &xfer)); /* two buffers */
    if (role == DRI_SOURCE)
        ok(DRI_xfer_set_attr(xfer, DRI_ATTR_STREAM, 1));
    return xfer;
}

/* [first] */
static void measure(DRI_Xfer source) {
    DRI_Frame about;
    void *buffer;
    for (int frame = 0; frame < frames; ++frame) {
        ok(DRI_next(source, &buffer)); /* waits until the next buffer is free; the first one is free at once */
        for (int64_t i = 0; i < elements; ++i)
            ((float *)buffer)[i] = value(i, frame);
        memset(&about, 0, sizeof about); /* time_ns 0: the library takes the clock's time */
        about.bytes = (int32_t)snprintf((char *)about.data, DRI_MAX_FRAME_BYTES, "dwell %d", frame);
        ok(DRI_insert(source, &about));
    }
    ok(DRI_xfer_close(source));
}
/* [/first] */

/* [stage] */
static void compute(DRI_Xfer sink, DRI_Xfer source) {
    DRI_Frame about;
    void *from, *to;
    int code;
    while ((code = DRI_extract(sink, &from, &about)) == DRI_SUCCESS) {
        ok(DRI_next(source, &to));
        for (int64_t i = 0; i < elements; ++i)
            ((float *)to)[i] = 2 * ((float *)from)[i];
        ok(DRI_release(sink));          /* the first process may fill it again */
        ok(DRI_insert(source, &about)); /* the time and the text stay with the data */
    }
    if (code != DRI_END_OF_STREAM)
        ok(code);
    ok(DRI_xfer_close(source)); /* the third process receives the end of stream, too */
}
/* [/stage] */

/* [last] */
static int64_t store(DRI_Xfer sink) {
    DRI_Frame about;
    char text[32];
    void *buffer;
    int code;
    int64_t wrong = 0, expected = 0;
    while ((code = DRI_extract(sink, &buffer, &about)) == DRI_SUCCESS) {
        for (int64_t i = 0; i < elements; ++i)
            wrong += ((float *)buffer)[i] != 2 * value(i, expected);
        snprintf(text, sizeof text, "dwell %d", (int)expected);
        wrong += about.number != expected || about.time_ns <= 0 || strcmp((char *)about.data, text) != 0;
        ++expected;
        ok(DRI_release(sink));
    }
    if (code != DRI_END_OF_STREAM)
        ok(code);
    return wrong + (expected != frames);
}
/* [/last] */

int main(int argc, char **argv) {
    const int64_t sizes[] = {rows, columns};
    int rank;
    int64_t wrong = 0;
    DRI_Group all, alone;
    DRI_Gdo matrix;
    DRI_Part blocks;
    DRI_Dist dist;

    ok(DRI_init(&argc, &argv));
    ok(DRI_world_rank(&rank));
    ok(DRI_group_create_world(&all));
    ok(DRI_group_create(1, &rank, &alone));
    ok(DRI_gdo_create(2, DRI_FLOAT, sizes, &matrix));
    ok(DRI_part_create_blocks(2, 0, &blocks));
    ok(DRI_dist_create(matrix, blocks, alone, &dist));

    /* [roles] */
    DRI_Xfer from = DRI_XFER_NULL, to = DRI_XFER_NULL;
    if (rank > 0)
        from = declare(rank == 1 ? "measured" : "computed", DRI_SINK, dist);
    if (rank < 2)
        to = declare(rank == 0 ? "measured" : "computed", DRI_SOURCE, dist);
    ok(DRI_commit(all));
    if (rank == 0)
        measure(to);
    else if (rank == 1)
        compute(from, to);
    else
        wrong = store(from);
    ok(DRI_finalize()); /* destroys the endpoints; the last frames still arrive */
    /* [/roles] */
    if (rank == 2)
        printf("process %d stored %d frames: %lld are wrong\n", rank, (int)frames, (long long)wrong);
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
