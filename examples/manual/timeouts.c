/*
 * A sink that does other work while it waits for a slow source: each wait ends after 20 ms, and the call is
 * repeated.
 *
 * Run on 2 processes.
 */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include <dri/dri.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { length = 1000, frames = 3 };

static void ok(int code) {
    if (code == DRI_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", DRI_error_string(code), DRI_error_message());
    exit(EXIT_FAILURE);
}

static float value(int64_t frame, int64_t i) { return (float)(frame * length + i); }

static void run_source(DRI_Xfer source) {
    const struct timespec pause = {0, 100 * 1000 * 1000};
    for (int64_t frame = 0; frame < 2 * frames; ++frame) {
        void *buffer;
        ok(DRI_xfer_get_buffer(source, &buffer));
        float *element = (float *)buffer;
        for (int64_t i = 0; i < length; ++i)
            element[i] = value(frame, i);
        nanosleep(&pause, NULL);
        ok(DRI_do("slow", DRI_XFER_NULL));
    }
}

static int64_t count_wrong(const void *buffer, int64_t frame) {
    const float *element = (const float *)buffer;
    int64_t wrong = 0;
    for (int64_t i = 0; i < length; ++i)
        wrong += element[i] != value(frame, i);
    return wrong;
}

/* The first frames with DRI_do, the others with its steps. */
static int64_t run_sink(DRI_Xfer sink) {
    int64_t wrong = 0, waits = 0;
    int code;
    void *buffer;
    for (int64_t frame = 0; frame < frames; ++frame) {
        /* [repeat] */
        while ((code = DRI_do("slow", DRI_XFER_NULL)) == DRI_ERR_TIMEOUT)
            ++waits; /* other work of the process goes here; then the same call continues the wait */
        ok(code);
        /* [/repeat] */
        ok(DRI_xfer_get_buffer(sink, &buffer));
        wrong += count_wrong(buffer, frame);
    }
    ok(DRI_release(sink)); /* the frame of the last DRI_do */
    for (int64_t frame = frames; frame < 2 * frames; ++frame) {
        /* [extract] */
        while ((code = DRI_extract(sink, &buffer, NULL)) == DRI_ERR_TIMEOUT)
            ++waits; /* nothing has been extracted; the same call continues the wait */
        ok(code);
        /* [/extract] */
        wrong += count_wrong(buffer, frame);
        ok(DRI_release(sink));
    }
    printf("%d frames, %lld waits timed out, %lld elements are wrong\n", 2 * frames, (long long)waits,
           (long long)wrong);
    return wrong;
}

int main(int argc, char **argv) {
    const int64_t size = length;
    int rank;
    DRI_Group all, alone;
    DRI_Gdo array;
    DRI_Part part;
    DRI_Dist dist;
    DRI_Xfer endpoint;
    int64_t wrong = 0;

    ok(DRI_init(&argc, &argv));
    ok(DRI_world_rank(&rank));
    ok(DRI_group_create_world(&all));
    if (rank < 2) {
        ok(DRI_group_create(1, &rank, &alone));
        ok(DRI_gdo_create(1, DRI_FLOAT, &size, &array));
        ok(DRI_part_create_blocks(1, 0, &part));
        ok(DRI_dist_create(array, part, alone, &dist));
        ok(DRI_xfer_create("slow", rank == 0 ? DRI_SOURCE : DRI_SINK, dist, DRI_ROW_MAJOR, 1, NULL, &endpoint));
        /* [timeout] */
        if (rank == 1)
            ok(DRI_xfer_set_attr(endpoint, DRI_ATTR_TIMEOUT_MS, 20)); /* before the commit */
        /* [/timeout] */
    }
    ok(DRI_commit(all));
    if (rank == 0)
        run_source(endpoint);
    if (rank == 1)
        wrong = run_sink(endpoint);
    ok(DRI_finalize());
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
