/*
 * A sink of four buffers works on the last three frames while the fourth buffer is filled. The source writes the
 * part of a frame that never changes once into all of its buffers.
 * Run on 2 processes.
 */
#include <dri/dri.h>
#include <stdio.h>
#include <stdlib.h>

enum { elements = 5000, title = 8, frames = 20 };

static void ok(int code) {
    if (code == DRI_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", DRI_error_string(code), DRI_error_message());
    exit(EXIT_FAILURE);
}

static int32_t value(int64_t element, int frame) { return (int32_t)(element * (frame + 1)); }

int main(int argc, char **argv) {
    const int64_t sizes[] = {elements};
    int rank;
    int64_t wrong = 0;
    DRI_Group all, alone;
    DRI_Gdo line;
    DRI_Part blocks;
    DRI_Dist dist;
    DRI_Xfer source, sink;

    ok(DRI_init(&argc, &argv));
    ok(DRI_world_rank(&rank));
    ok(DRI_group_create_world(&all));
    ok(DRI_group_create(1, &rank, &alone));
    ok(DRI_gdo_create(1, DRI_INT32, sizes, &line));
    ok(DRI_part_create_blocks(1, 0, &blocks));
    ok(DRI_dist_create(line, blocks, alone, &dist));
    if (rank == 0)
        ok(DRI_xfer_create("line", DRI_SOURCE, dist, DRI_ROW_MAJOR, 2, NULL, &source));
    else
        ok(DRI_xfer_create("line", DRI_SINK, dist, DRI_ROW_MAJOR, 4, NULL, &sink));
    ok(DRI_commit(all));

    if (rank == 0) {
        /* [buffers] */
        int n;
        void *buffers[2];
        ok(DRI_xfer_get_buffers(source, &n, NULL)); /* how many there are: 2 */
        ok(DRI_xfer_get_buffers(source, NULL, buffers));
        for (int b = 0; b < n; ++b)
            for (int i = 0; i < title; ++i)
                ((int32_t *)buffers[b])[i] = 4711; /* stays in each buffer of the source */
        for (int frame = 0; frame < frames; ++frame) {
            void *buffer;
            ok(DRI_xfer_get_buffer(source, &buffer)); /* buffers[frame % n] */
            for (int64_t i = title; i < elements; ++i)
                ((int32_t *)buffer)[i] = value(i, frame);
            ok(DRI_do("line", DRI_XFER_NULL));
        }
        /* [/buffers] */
    } else {
        /* [three] */
        void *last[3];
        for (int frame = 0; frame < frames; ++frame) {
            if (frame >= 3)
                ok(DRI_release(sink)); /* the oldest of the three */
            ok(DRI_extract(sink, &last[frame % 3], NULL));
            for (int back = 0; back < 3 && back <= frame; ++back) { /* the last three frames stay in place */
                const int32_t *element = (const int32_t *)last[(frame - back) % 3];
                for (int64_t i = 0; i < elements; ++i)
                    wrong += element[i] != (i < title ? 4711 : value(i, frame - back));
            }
        }
        /* [/three] */
        printf("%d frames: %lld elements are wrong\n", (int)frames, (long long)wrong);
    }
    ok(DRI_finalize());
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
