/*
 * An observer leaves a running transfer, and the others go on. Then the source leaves, and the remaining sink is
 * informed.
 * Run on 3 processes.
 */
#include <dri/dri.h>
#include <stdio.h>
#include <stdlib.h>

enum { elements = 1000, frames = 10, watched = 3 };

static void ok(int code) {
    if (code == DRI_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", DRI_error_string(code), DRI_error_message());
    exit(EXIT_FAILURE);
}

static double value(int64_t element, int frame) { return (double)(element + 1000 * frame); }

int main(int argc, char **argv) {
    const int64_t sizes[] = {elements};
    int rank;
    int64_t wrong = 0;
    DRI_Group all, alone;
    DRI_Gdo line;
    DRI_Part whole;
    DRI_Dist dist;
    DRI_Xfer xfer;
    void *buffer;

    ok(DRI_init(&argc, &argv));
    ok(DRI_world_rank(&rank));
    ok(DRI_group_create_world(&all));
    ok(DRI_group_create(1, &rank, &alone));
    ok(DRI_gdo_create(1, DRI_DOUBLE, sizes, &line));
    ok(DRI_part_create_blocks(1, 0, &whole));
    ok(DRI_dist_create(line, whole, alone, &dist));
    /* [leave] */
    ok(DRI_xfer_create("line", rank == 0 ? DRI_SOURCE : DRI_SINK, dist, DRI_ROW_MAJOR, 1, NULL, &xfer));
    ok(DRI_commit(all));

    for (int frame = 0; frame < (rank == 2 ? watched : frames); ++frame) {
        if (rank == 0) {
            ok(DRI_xfer_get_buffer(xfer, &buffer));
            for (int64_t i = 0; i < elements; ++i)
                ((double *)buffer)[i] = value(i, frame);
        }
        ok(DRI_do("line", DRI_XFER_NULL));
        if (rank > 0) {
            ok(DRI_xfer_get_buffer(xfer, &buffer));
            for (int64_t i = 0; i < elements; ++i)
                wrong += ((double *)buffer)[i] != value(i, frame);
        }
    }
    if (rank == 1) { /* the source has left after its last frame: one more frame cannot arrive */
        const int code = DRI_do("line", DRI_XFER_NULL);
        printf("%s: %s\n", DRI_error_string(code), DRI_error_message());
        wrong += code != DRI_ERR_STATE;
    }
    ok(DRI_xfer_destroy(&xfer)); /* process 2 after 3 frames, process 0 after 10 */
    /* [/leave] */
    ok(DRI_finalize());
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
