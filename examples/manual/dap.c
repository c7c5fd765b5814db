/*
 * Two libraries share arrays by the Distributed Array Protocol: rows with padding are refreshed where they lie,
 * and moved to the columns of another library. Run on 4 processes.
 */
#include <dri/dri.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { columns = 18, width = 2 };

static const int64_t rows = 24;

static void ok(int code) {
    if (code == DRI_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", DRI_error_string(code), DRI_error_message());
    exit(EXIT_FAILURE);
}

static float value(int64_t row, int64_t column) { return (float)(row * columns + column); }

int main(int argc, char **argv) {
    int rank, size;
    int64_t wrong = 0;
    DRI_Group all;
    DRI_Dap dap, theirs;
    DRI_Dap_fault fault;
    DRI_Dist dist, to;
    DRI_Layout layout, to_layout;
    DRI_Xfer ends[2], source, sink;
    void *origin, *to_origin;

    ok(DRI_init(&argc, &argv));
    ok(DRI_world_rank(&rank));
    ok(DRI_world_size(&size));
    ok(DRI_group_create_world(&all));

    /* The array of this library: balanced rows, with two rows of each neighbour. */
    const int64_t first = rows * rank / size, end = rows * (rank + 1) / size;
    const int64_t start = rank > 0 ? first - width : 0, stop = rank < size - 1 ? end + width : rows;
    float *const local = (float *)calloc((size_t)((stop - start) * columns), sizeof(float));
    for (int64_t row = first; row < end; ++row)
        for (int64_t column = 0; column < columns; ++column)
            local[(row - start) * columns + column] = value(row, column);

    /* [describe] */
    memset(&dap, 0, sizeof dap);
    dap.buffer = local;
    dap.itemsize = sizeof(float);
    dap.ndims = 2;
    dap.shape[0] = stop - start;
    dap.shape[1] = columns;
    dap.strides[0] = columns * (int64_t)sizeof(float);
    dap.strides[1] = sizeof(float);
    DRI_Dap_dim *const dim = &dap.dim_data[0]; /* dim_data[1] stays {}: not distributed */
    dim->dist_type = 'b';
    dim->keys =
        DRI_DAP_SIZE | DRI_DAP_GRID_SIZE | DRI_DAP_GRID_RANK | DRI_DAP_START | DRI_DAP_STOP | DRI_DAP_PADDING;
    dim->size = rows;
    dim->proc_grid_size = size;
    dim->proc_grid_rank = rank;
    dim->start = start; /* padding counts */
    dim->stop = stop;
    dim->padding[0] = rank > 0 ? width : 0;
    dim->padding[1] = rank < size - 1 ? width : 0;
    /* [/describe] */

    /* [check] */
    if (DRI_dap_check(&dap, all, &fault) != DRI_SUCCESS)
        printf("rule %s is broken: %s\n", fault.name, fault.message);
    /* [/check] */

    /* [update] */
    ok(DRI_dap_import(&dap, DRI_FLOAT, all, DRI_DAP_UPDATE, &dist, &layout, &origin));
    ok(DRI_xfer_create("padding", DRI_SOURCE, dist, layout, 1, &origin, &ends[0]));
    ok(DRI_xfer_create("padding", DRI_SINK, dist, layout, 1, &origin, &ends[1]));
    for (int i = 0; i < 2; ++i)
        ok(DRI_xfer_set_attr(ends[i], DRI_ATTR_IN_PLACE, DRI_IN_PLACE));
    DRI_Group neighbours;
    ok(DRI_dist_get_group(dist, &neighbours));
    ok(DRI_commit_ends(neighbours, 2, ends));
    ok(DRI_do("padding", DRI_XFER_NULL)); /* fills the padding */
    /* [/update] */
    for (int64_t row = start; row < stop; ++row)
        for (int64_t column = 0; column < columns; ++column)
            wrong += local[(row - start) * columns + column] != value(row, column);

    /* The array of the other library: one column after the other, dealt round-robin. */
    const int64_t held = (columns - rank + size - 1) / size;
    float *const other = (float *)calloc((size_t)(rows * held), sizeof(float));
    memset(&theirs, 0, sizeof theirs);
    theirs.buffer = other;
    theirs.itemsize = sizeof(float);
    theirs.ndims = 2;
    theirs.shape[0] = rows;
    theirs.shape[1] = held;
    theirs.strides[0] = sizeof(float);
    theirs.strides[1] = rows * (int64_t)sizeof(float);
    theirs.dim_data[1].dist_type = 'c';
    theirs.dim_data[1].keys = DRI_DAP_SIZE | DRI_DAP_GRID_SIZE | DRI_DAP_GRID_RANK | DRI_DAP_START;
    theirs.dim_data[1].size = columns;
    theirs.dim_data[1].proc_grid_size = size;
    theirs.dim_data[1].proc_grid_rank = rank;
    theirs.dim_data[1].start = rank;

    DRI_Dist from;
    DRI_Layout from_layout;
    void *from_origin;
    /* [move] */
    ok(DRI_dap_import(&dap, DRI_FLOAT, all, DRI_DAP_SOURCE, &from, &from_layout, &from_origin));
    ok(DRI_dap_import(&theirs, DRI_FLOAT, all, DRI_DAP_SINK, &to, &to_layout, &to_origin));
    ok(DRI_xfer_create("move", DRI_SOURCE, from, from_layout, 1, &from_origin, &source));
    ok(DRI_xfer_create("move", DRI_SINK, to, to_layout, 1, &to_origin, &sink));
    ok(DRI_commit(all));
    ok(DRI_do("move", DRI_XFER_NULL));
    /* [/move] */
    for (int64_t j = 0; j < held; ++j) {
        int64_t column;
        ok(DRI_dap_global_index(&theirs.dim_data[1], j, &column));
        for (int64_t row = 0; row < rows; ++row)
            wrong += other[j * rows + row] != value(row, column);
    }

    /* [export] */
    DRI_Dap exported;
    ok(DRI_dap_export(to, rank, to_layout, to_origin, NULL, NULL, &exported));
    wrong += exported.dim_data[1].dist_type != 'c' || exported.buffer != other;
    ok(DRI_dap_free(&exported)); /* the array stays */
    /* [/export] */

    printf("process %d: %lld elements are wrong\n", rank, (long long)wrong);
    ok(DRI_finalize());
    free(local);
    free(other);
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
