/*
 * What different workspace limits of the two endpoints lead to: workspace in use, and messages in one frame.
 *
 * Run on 4 processes.
 */
#include <dri/dri.h>
#include <stdio.h>
#include <stdlib.h>

enum { rows = 600, columns = 400, no_limit = -1 };

static void ok(int code) {
    if (code == DRI_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", DRI_error_string(code), DRI_error_message());
    exit(EXIT_FAILURE);
}

static float value(int64_t row, int64_t column) { return (float)(row * columns + column); }

/* Moves one frame of rows to columns; returns the number of wrong elements. */
static int64_t move_frame(DRI_Xfer source, DRI_Xfer sink, DRI_Dist in, DRI_Dist out, int rank) {
    DRI_Part_tuple part[2];
    void *buffer;
    int64_t wrong = 0;
    ok(DRI_dist_get_part(in, rank, part));
    ok(DRI_xfer_get_buffer(source, &buffer));
    float *element = (float *)buffer;
    for (int64_t row = part[0].left_x; row < part[0].right_x; ++row)
        for (int64_t column = 0; column < columns; ++column)
            *element++ = value(row, column);
    ok(DRI_do("turn", DRI_XFER_NULL));
    ok(DRI_dist_get_part(out, rank, part));
    ok(DRI_xfer_get_buffer(sink, &buffer));
    element = (float *)buffer;
    for (int64_t column = part[1].left_x; column < part[1].right_x; ++column)
        for (int64_t row = 0; row < rows; ++row)
            wrong += *element++ != value(row, column);
    return wrong;
}

int main(int argc, char **argv) {
    const int64_t sizes[] = {rows, columns};
    /* Limits of the source and of the sink, on all processes. */
    const int64_t limits[][2] = {{no_limit, no_limit}, {200000, no_limit}, {200000, 100000},
                                 {180100, 12288},      {100000, no_limit}, {12288, no_limit}};
    int rank;
    int64_t wrong = 0;
    DRI_Group all;
    DRI_Gdo matrix;
    DRI_Part by_rows, by_columns;
    DRI_Dist in, out;

    ok(DRI_init(&argc, &argv));
    ok(DRI_world_rank(&rank));
    ok(DRI_group_create_world(&all));
    ok(DRI_gdo_create(2, DRI_FLOAT, sizes, &matrix));
    ok(DRI_part_create_blocks(2, 0, &by_rows));
    ok(DRI_part_create_blocks(2, 1, &by_columns));
    ok(DRI_dist_create(matrix, by_rows, all, &in));
    ok(DRI_dist_create(matrix, by_columns, all, &out));
    for (int i = 0; i < 6; ++i) {
        DRI_Xfer endpoints[2]; /* source and sink */
        DRI_Xfer_info info[2];
        ok(DRI_xfer_create("turn", DRI_SOURCE, in, DRI_ROW_MAJOR, 2, NULL, &endpoints[0]));
        ok(DRI_xfer_create("turn", DRI_SINK, out, DRI_COL_MAJOR, 1, NULL, &endpoints[1]));
        ok(DRI_xfer_set_attr(endpoints[0], DRI_ATTR_WAYS, DRI_WAY_SELF | DRI_WAY_MESSAGE)); /* as between nodes */
        for (int k = 0; k < 2; ++k)
            if (limits[i][k] != no_limit)
                ok(DRI_xfer_set_attr(endpoints[k], DRI_ATTR_WORKSPACE_LIMIT, limits[i][k]));
        ok(DRI_commit(all));
        wrong += move_frame(endpoints[0], endpoints[1], in, out, rank);
        for (int k = 0; k < 2; ++k) {
            ok(DRI_xfer_get_info(endpoints[k], &info[k]));
            wrong += limits[i][k] != no_limit && info[k].workspace_bytes > limits[i][k];
        }
        if (rank == 0)
            printf("limits %7lld, %7lld: source uses %lld in %lld messages, sink uses %lld\n",
                   (long long)limits[i][0], (long long)limits[i][1], (long long)info[0].workspace_bytes,
                   (long long)info[0].messages, (long long)info[1].workspace_bytes);
        ok(DRI_xfer_destroy(&endpoints[1]));
        ok(DRI_xfer_destroy(&endpoints[0]));
    }
    ok(DRI_finalize());
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
