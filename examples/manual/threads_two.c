/*
 * Two threads of the program execute two transfers at the same time.
 * Run on 2 processes.
 */
#include <dri/dri.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { elements = 20000, frames = 20 };

static void ok(int code) {
    if (code == DRI_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", DRI_error_string(code), DRI_error_message());
    exit(EXIT_FAILURE);
}

static double value(int64_t element, int frame, int line) { return (double)(element + frame + 1000 * line); }

typedef struct {
    const char *name;
    DRI_Role role;
    DRI_Xfer xfer;
    int line;
    int64_t wrong;
} Work;

/* [thread] */
/* One transfer, used by one thread. Each thread has its own DRI_error_message. */
static void *run(void *argument) {
    Work *work = (Work *)argument;
    void *buffer;
    for (int frame = 0; frame < frames; ++frame) {
        if (work->role == DRI_SOURCE) {
            ok(DRI_xfer_get_buffer(work->xfer, &buffer));
            for (int64_t i = 0; i < elements; ++i)
                ((double *)buffer)[i] = value(i, frame, work->line);
        }
        ok(DRI_do(work->name, DRI_XFER_NULL));
        if (work->role == DRI_SINK) {
            ok(DRI_xfer_get_buffer(work->xfer, &buffer));
            for (int64_t i = 0; i < elements; ++i)
                work->wrong += ((double *)buffer)[i] != value(i, frame, work->line);
        }
    }
    return NULL;
}
/* [/thread] */

int main(int argc, char **argv) {
    const int64_t sizes[] = {elements};
    int rank, level;
    DRI_Group all, alone;
    DRI_Gdo line;
    DRI_Part blocks;
    DRI_Dist dist;
    Work works[2];
    pthread_t threads[2];

    ok(DRI_init(&argc, &argv));
    ok(DRI_world_rank(&rank));
    ok(DRI_group_create_world(&all));
    ok(DRI_group_create(1, &rank, &alone));
    ok(DRI_gdo_create(1, DRI_DOUBLE, sizes, &line));
    ok(DRI_part_create_blocks(1, 0, &blocks));
    ok(DRI_dist_create(line, blocks, alone, &dist));
    for (int i = 0; i < 2; ++i) { /* "zero" from process 0 to 1, "one" from process 1 to 0 */
        works[i].name = i == 0 ? "zero" : "one";
        works[i].role = i == rank ? DRI_SOURCE : DRI_SINK;
        works[i].line = i;
        works[i].wrong = 0;
        ok(DRI_xfer_create(works[i].name, works[i].role, dist, DRI_ROW_MAJOR, 1, NULL, &works[i].xfer));
    }
    ok(DRI_commit(all)); /* set-up calls: by one thread at a time */

    /* [level] */
    MPI_Query_thread(&level);
    if (level == MPI_THREAD_MULTIPLE) { /* two threads, two transfers */
        for (int i = 0; i < 2; ++i)
            if (pthread_create(&threads[i], NULL, run, &works[i]) != 0)
                return EXIT_FAILURE;
        for (int i = 0; i < 2; ++i)
            pthread_join(threads[i], NULL);
    } else { /* one after the other, in the same order on all processes */
        for (int i = 0; i < 2; ++i)
            run(&works[i]);
    }
    /* [/level] */
    const int64_t wrong = works[0].wrong + works[1].wrong;
    printf("process %d: %lld elements are wrong\n", rank, (long long)wrong);
    ok(DRI_finalize());
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
