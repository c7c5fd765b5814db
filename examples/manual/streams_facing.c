/*
 * Two processes that send to each other. With one buffer each, both can wait for ever in their sources; here a
 * timeout ends the wait. With two buffers, or with one sink before its source, both go on.
 * Run on 2 processes.
 */
#include <dri/dri.h>
#include <stdio.h>
#include <stdlib.h>

enum { elements = 200000, frames = 5 };

static void ok(int code) {
    if (code == DRI_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", DRI_error_string(code), DRI_error_message());
    exit(EXIT_FAILURE);
}

static double value(int64_t element, int frame, int from) { return (double)(element + frame + 1000 * from); }

/* The endpoints of this process: it sends in one transfer and receives in the other. */
static void declare(DRI_Dist dist, int rank, int nbuffs, int timeout, DRI_Xfer *out, DRI_Xfer *in) {
    const char *const names[] = {"there", "back"};
    DRI_Group all;
    ok(DRI_group_create_world(&all));
    ok(DRI_xfer_create(names[rank], DRI_SOURCE, dist, DRI_ROW_MAJOR, nbuffs, NULL, out));
    ok(DRI_xfer_create(names[1 - rank], DRI_SINK, dist, DRI_ROW_MAJOR, nbuffs, NULL, in));
    ok(DRI_xfer_set_attr(*out, DRI_ATTR_TIMEOUT_MS, timeout));
    ok(DRI_commit(all));
}

/* Returns the code of the source's call if that fails. */
static int exchange(DRI_Xfer out, DRI_Xfer in, int rank, int sink_first, int64_t *wrong) {
    void *buffer;
    for (int frame = 0; frame < frames; ++frame) {
        ok(DRI_xfer_get_buffer(out, &buffer));
        for (int64_t i = 0; i < elements; ++i)
            ((double *)buffer)[i] = value(i, frame, rank);
        /* [frame] */
        if (sink_first)
            ok(DRI_do(NULL, in));
        const int code = DRI_do(NULL, out); /* one buffer: returns when the other process has the frame */
        if (code != DRI_SUCCESS)
            return code;
        if (!sink_first)
            ok(DRI_do(NULL, in));
        /* [/frame] */
        ok(DRI_xfer_get_buffer(in, &buffer));
        for (int64_t i = 0; i < elements; ++i)
            *wrong += ((double *)buffer)[i] != value(i, frame, 1 - rank);
    }
    return DRI_SUCCESS;
}

int main(int argc, char **argv) {
    const int64_t sizes[] = {elements};
    int rank;
    int64_t wrong = 0;
    DRI_Group all, alone;
    DRI_Gdo line;
    DRI_Part blocks;
    DRI_Dist dist;
    DRI_Xfer out, in;

    ok(DRI_init(&argc, &argv));
    ok(DRI_world_rank(&rank));
    ok(DRI_group_create_world(&all));
    ok(DRI_group_create(1, &rank, &alone));
    ok(DRI_gdo_create(1, DRI_DOUBLE, sizes, &line));
    ok(DRI_part_create_blocks(1, 0, &blocks));
    ok(DRI_dist_create(line, blocks, alone, &dist));

    /* [cure] */
    declare(dist, rank, 1, 200, &out, &in); /* one buffer, both sources first: both wait for ever */
    const int code = exchange(out, in, rank, 0, &wrong);
    if (code == DRI_SUCCESS) /* the frames went by messages: the source may be a frame further ahead */
        printf("process %d: no wait this time\n", rank);
    else
        printf("process %d: %s: %s\n", rank, DRI_error_string(code), DRI_error_message());
    wrong += code != DRI_SUCCESS && code != DRI_ERR_TIMEOUT;
    ok(DRI_commit(all)); /* nothing is declared: both processes have come here */
    ok(DRI_xfer_destroy(&in));
    ok(DRI_xfer_destroy(&out));

    declare(dist, rank, 2, 0, &out, &in); /* the cure: two buffers */
    ok(exchange(out, in, rank, 0, &wrong));
    ok(DRI_xfer_destroy(&in));
    ok(DRI_xfer_destroy(&out));

    declare(dist, rank, 1, 0, &out, &in); /* the other cure: on one process the sink first */
    ok(exchange(out, in, rank, rank == 1, &wrong));
    /* [/cure] */
    printf("process %d: %lld elements are wrong\n", rank, (long long)wrong);
    ok(DRI_finalize());
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
