/*
 * Two processes that send to each other, and each sends first. Each source has two buffers. With one buffer, both
 * processes wait for ever.
 *
 * Run on 2 processes.
 */
#include <dri/dri.h>
#include <stdio.h>
#include <stdlib.h>

enum { length = 1000, frames = 10, buffers = 2 };

static void ok(int code) {
    if (code == DRI_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", DRI_error_string(code), DRI_error_message());
    exit(EXIT_FAILURE);
}

static float value(int64_t frame, int rank, int64_t i) { return (float)((frame * 2 + rank) * length + i); }

int main(int argc, char **argv) {
    const char *const names[] = {"from 0", "from 1"};
    const int64_t size = length;
    int rank, processes;
    DRI_Group all, alone;
    DRI_Gdo array;
    DRI_Part part;
    DRI_Dist dist;
    DRI_Xfer source, sink;
    void *buffer;
    int64_t wrong = 0;

    ok(DRI_init(&argc, &argv));
    ok(DRI_world_rank(&rank));
    ok(DRI_world_size(&processes));
    if (processes != 2) {
        fprintf(stderr, "this program runs on 2 processes\n");
        return EXIT_FAILURE;
    }
    ok(DRI_group_create_world(&all));
    ok(DRI_group_create(1, &rank, &alone));
    ok(DRI_gdo_create(1, DRI_FLOAT, &size, &array));
    ok(DRI_part_create_blocks(1, 0, &part));
    ok(DRI_dist_create(array, part, alone, &dist));
    ok(DRI_xfer_create(names[rank], DRI_SOURCE, dist, DRI_ROW_MAJOR, buffers, NULL, &source));
    ok(DRI_xfer_create(names[1 - rank], DRI_SINK, dist, DRI_ROW_MAJOR, 1, NULL, &sink));
    ok(DRI_commit(all));

    for (int64_t frame = 0; frame < frames; ++frame) {
        ok(DRI_xfer_get_buffer(source, &buffer));
        float *element = (float *)buffer;
        for (int64_t i = 0; i < length; ++i)
            element[i] = value(frame, rank, i);

        /* [frame] */
        ok(DRI_do(NULL, source)); /* with one buffer it returns when the other process has the frame */
        ok(DRI_do(NULL, sink));
        /* [/frame] */

        ok(DRI_xfer_get_buffer(sink, &buffer));
        element = (float *)buffer;
        for (int64_t i = 0; i < length; ++i)
            wrong += element[i] != value(frame, 1 - rank, i);
    }
    printf("process %d received %d frames: %lld elements are wrong\n", rank, frames, (long long)wrong);
    ok(DRI_finalize());
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
