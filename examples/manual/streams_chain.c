/*
 * A stage that works in place between two transfers: its sink and its source use the same memory of the program.
 * Run on 3 processes.
 */
#include <dri/dri.h>
#include <stdio.h>
#include <stdlib.h>

enum { elements = 4096, frames = 6 };

static void ok(int code) {
    if (code == DRI_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", DRI_error_string(code), DRI_error_message());
    exit(EXIT_FAILURE);
}

static float value(int64_t element, int frame) { return (float)(element + 11 * frame); }

int main(int argc, char **argv) {
    const int64_t sizes[] = {elements};
    int rank;
    int64_t wrong = 0;
    DRI_Group all, alone;
    DRI_Gdo line;
    DRI_Part blocks;
    DRI_Dist dist;
    DRI_Xfer from = DRI_XFER_NULL, to = DRI_XFER_NULL;
    void *buffer;

    ok(DRI_init(&argc, &argv));
    ok(DRI_world_rank(&rank));
    ok(DRI_group_create_world(&all));
    ok(DRI_group_create(1, &rank, &alone));
    ok(DRI_gdo_create(1, DRI_FLOAT, sizes, &line));
    ok(DRI_part_create_blocks(1, 0, &blocks));
    ok(DRI_dist_create(line, blocks, alone, &dist));

    if (rank == 0)
        ok(DRI_xfer_create("first", DRI_SOURCE, dist, DRI_ROW_MAJOR, 2, NULL, &to));
    if (rank == 2)
        ok(DRI_xfer_create("second", DRI_SINK, dist, DRI_ROW_MAJOR, 2, NULL, &from));
    /* [declare] */
    float *memory = (float *)malloc(elements * sizeof(float)); /* stays valid until both are destroyed */
    void *buffers[1];
    buffers[0] = memory;
    if (rank == 1) {
        ok(DRI_xfer_create("first", DRI_SINK, dist, DRI_ROW_MAJOR, 1, buffers, &from));
        ok(DRI_xfer_create("second", DRI_SOURCE, dist, DRI_ROW_MAJOR, 1, buffers, &to));
    }
    /* [/declare] */
    ok(DRI_commit(all));

    for (int frame = 0; frame < frames; ++frame) {
        if (rank == 0) {
            ok(DRI_xfer_get_buffer(to, &buffer));
            for (int64_t i = 0; i < elements; ++i)
                ((float *)buffer)[i] = value(i, frame);
            ok(DRI_do("first", DRI_XFER_NULL));
        } else if (rank == 1) {
            /* [stage] */
            ok(DRI_do("first", DRI_XFER_NULL)); /* writes the memory, inside this call only */
            for (int64_t i = 0; i < elements; ++i)
                memory[i] += 1;
            ok(DRI_do("second", DRI_XFER_NULL)); /* returns when process 2 has the frame */
            /* [/stage] */
        } else {
            ok(DRI_do("second", DRI_XFER_NULL));
            ok(DRI_xfer_get_buffer(from, &buffer));
            for (int64_t i = 0; i < elements; ++i)
                wrong += ((float *)buffer)[i] != value(i, frame) + 1;
        }
    }
    if (rank == 2)
        printf("%d frames: %lld elements are wrong\n", (int)frames, (long long)wrong);
    ok(DRI_finalize());
    free(memory);
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
