/*
 * Frames by the C interface, for the rows of bench.py that compare Python with C. The library has been started by
 * the package, in the same process. Functions return seconds, or the negative code of a failure.
 */
#define _POSIX_C_SOURCE 199309L /* clock_gettime */

#include <dri/dri.h>

#include <stddef.h>
#include <time.h>

static DRI_Xfer source, sink;

static double now(void) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

/* A number of frames of a transfer that is committed, all its endpoints here. */
DRI_API double bench_do(const char *name, int frames) {
    const double begin = now();
    int code = DRI_SUCCESS;
    for (int frame = 0; frame < frames && code == DRI_SUCCESS; ++frame)
        code = DRI_do(name, DRI_XFER_NULL);
    return code == DRI_SUCCESS ? now() - begin : (double)code;
}

/* A turn of n x n complex floats from this process to itself, with two buffers. */
DRI_API double bench_open(int n) {
    const int64_t sizes[] = {n, n};
    DRI_Gdo gdo;
    DRI_Group group;
    int rank = 0;
    int code = DRI_world_rank(&rank);
    if (code == DRI_SUCCESS)
        code = DRI_group_create(1, &rank, &group);
    if (code == DRI_SUCCESS)
        code = DRI_gdo_create(2, DRI_COMPLEX_FLOAT, sizes, &gdo);
    if (code == DRI_SUCCESS)
        code = DRI_turn_create("bench_stream", gdo, group, 0, 1, DRI_ROW_MAJOR, 2, &source, &sink);
    if (code == DRI_SUCCESS)
        code = DRI_gdo_destroy(&gdo);
    if (code == DRI_SUCCESS)
        code = DRI_group_destroy(&group);
    return (double)code;
}

/* The sink's part of a number of frames: release the last one, extract the next. The first frame does not count.
 */
DRI_API double bench_sink(int frames) {
    double seconds = 0;
    int code = DRI_SUCCESS;
    void *buffer = NULL;
    for (int frame = -1; frame < frames && code == DRI_SUCCESS; ++frame) {
        code = DRI_next(source, &buffer);
        if (code == DRI_SUCCESS)
            code = DRI_insert(source, NULL);
        const double begin = now();
        if (code == DRI_SUCCESS && frame >= 0)
            code = DRI_release(sink);
        DRI_Frame header;
        if (code == DRI_SUCCESS)
            code = DRI_extract(sink, &buffer, &header);
        seconds += frame >= 0 ? now() - begin : 0;
    }
    if (code == DRI_SUCCESS)
        code = DRI_release(sink);
    return code == DRI_SUCCESS ? seconds : (double)code;
}

DRI_API double bench_close(void) {
    const int code = DRI_xfer_destroy(&sink);
    const int also = DRI_xfer_destroy(&source);
    return (double)(code != DRI_SUCCESS ? code : also);
}
