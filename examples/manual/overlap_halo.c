/*
 * A halo exchange: each process averages the four neighbours of its elements, again and again, on a periodic
 * plane. Run on 4 processes.
 */
#include <dri/dri.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { side = 64, steps = 5 };

static void ok(int code) {
    if (code == DRI_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", DRI_error_string(code), DRI_error_message());
    exit(EXIT_FAILURE);
}

static double start(int64_t i, int64_t j) { return (double)((i * i + 3 * j) % side); }

/* One step of the whole plane, on one process: what the parallel steps must give. */
static void step_whole(double *plane, double *scratch) {
    for (int i = 0; i < side; ++i)
        for (int j = 0; j < side; ++j)
            scratch[i * side + j] = (plane[(i + side - 1) % side * side + j] + plane[(i + 1) % side * side + j] +
                                     plane[i * side + (j + side - 1) % side] + plane[i * side + (j + 1) % side]) /
                                    4;
    memcpy(plane, scratch, side * side * sizeof *plane);
}

int main(int argc, char **argv) {
    static double plane[side * side], scratch[side * side];
    const int64_t sizes[] = {side, side};
    int rank, wrong = 0;
    DRI_Group all;
    DRI_Gdo gdo;
    DRI_Part part;
    DRI_Dist dist;
    DRI_Xfer source, sink;
    DRI_Block rows, columns;
    void *buffer;

    ok(DRI_init(&argc, &argv));
    ok(DRI_world_rank(&rank));
    ok(DRI_group_create_world(&all));
    ok(DRI_gdo_create(2, DRI_DOUBLE, sizes, &gdo));

    /* [declare] */
    DRI_Part_dim rules[2];
    memset(rules, 0, sizeof rules);
    for (int d = 0; d < 2; ++d) {
        rules[d].kind = DRI_BLOCK;
        rules[d].left = rules[d].right = 1;
        rules[d].left_edge = rules[d].right_edge = DRI_WRAP;
    }
    ok(DRI_part_create_rule(2, rules, &part));
    ok(DRI_dist_create(gdo, part, all, &dist));
    ok(DRI_xfer_create("halo", DRI_SOURCE, dist, DRI_ROW_MAJOR, 1, NULL, &source));
    ok(DRI_xfer_create("halo", DRI_SINK, dist, DRI_ROW_MAJOR, 1, NULL, &sink)); /* the same distribution */
    ok(DRI_commit(all));
    /* [/declare] */

    /* [first] */
    int64_t strides[2];
    ok(DRI_layout_get_strides(DRI_ROW_MAJOR, dist, rank, strides));
    ok(DRI_dist_get_block(dist, rank, 0, 0, &rows));
    ok(DRI_dist_get_block(dist, rank, 1, 0, &columns));
    /* Offset of the first owned element. */
    const int64_t first = rows.local * strides[0] + columns.local * strides[1];
    /* [/first] */

    ok(DRI_xfer_get_buffer(source, &buffer));
    double *out = (double *)buffer + first;
    for (int64_t i = 0; i < rows.size; ++i)
        for (int64_t j = 0; j < columns.size; ++j)
            out[i * strides[0] + j] = start(rows.global + i, columns.global + j);

    /* [steps] */
    for (int step = 0; step < steps; ++step) {
        ok(DRI_do("halo", DRI_XFER_NULL));
        ok(DRI_xfer_get_buffer(sink, &buffer)); /* owned elements and all neighbours */
        const double *in = (const double *)buffer + first;
        ok(DRI_xfer_get_buffer(source, &buffer));
        out = (double *)buffer + first; /* the next frame: owned elements only */
        for (int64_t i = 0; i < rows.size; ++i)
            for (int64_t j = 0; j < columns.size; ++j) {
                const double *at = in + i * strides[0] + j;
                out[i * strides[0] + j] = (at[-strides[0]] + at[strides[0]] + at[-1] + at[1]) / 4;
            }
    }
    /* [/steps] */

    for (int i = 0; i < side; ++i)
        for (int j = 0; j < side; ++j)
            plane[i * side + j] = start(i, j);
    for (int step = 0; step < steps; ++step)
        step_whole(plane, scratch);
    for (int64_t i = 0; i < rows.size; ++i)
        for (int64_t j = 0; j < columns.size; ++j)
            wrong += out[i * strides[0] + j] != plane[(rows.global + i) * side + columns.global + j];

    if (wrong > 0)
        printf("process %d: %d elements are wrong\n", rank, wrong);
    ok(DRI_finalize());
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
