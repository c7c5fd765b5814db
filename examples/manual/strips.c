/*
 * A corner turn in strips: strips of rows come in, strips of columns come out, and no process of the program ever
 * holds the whole matrix. A limit halves the memory for messages of the source.
 * Run on 4 processes.
 */
#include <dri/dri.h>
#include <stdio.h>
#include <stdlib.h>

enum { rows = 1000, columns = 700, strip_rows = 128, strip_columns = 100, matrices = 3 };

typedef struct {
    int16_t re, im;
} Sample;

static void ok(int code) {
    if (code == DRI_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", DRI_error_string(code), DRI_error_message());
    exit(EXIT_FAILURE);
}

static Sample value(int64_t row, int64_t column, int matrix) {
    const Sample sample = {(int16_t)(row + matrix), (int16_t)(column - row)};
    return sample;
}

/* [declare] */
/* Strips of `size` rows (dim 0) or columns (dim 1). Each strip is cut along dim among all processes. */
static DRI_Xfer declare_strips(DRI_Role role, DRI_Gdo matrix, int dim, int64_t size, DRI_Layout layout,
                               int nbuffs) {
    const int64_t offsets[] = {0, 0};
    int64_t sizes[] = {rows, columns};
    DRI_Gdo first;
    DRI_Part blocks;
    DRI_Group all;
    DRI_Dist strip;
    DRI_Xfer xfer;
    sizes[dim] = size;
    ok(DRI_gdo_subset(matrix, offsets, sizes, &first)); /* the first strip */
    ok(DRI_part_create_blocks(2, dim, &blocks));
    ok(DRI_group_create_world(&all));
    ok(DRI_dist_create(first, blocks, all, &strip));
    ok(DRI_xfer_create_strips("turn", role, matrix, dim, strip, layout, nbuffs, NULL, &xfer));
    return xfer;
}
/* [/declare] */

/* [box] */
/* The rows and columns of the matrix that this process owns in a strip. */
static void get_box_of_strip(DRI_Xfer xfer, int64_t strip, int dim, int64_t size, int rank, int64_t low[],
                             int64_t high[]) {
    DRI_Part_tuple part[2];
    DRI_Dist dist;
    ok(DRI_xfer_get_strip(xfer, strip, &dist)); /* the last strip may be shorter */
    ok(DRI_dist_get_part(dist, rank, part));
    ok(DRI_dist_destroy(&dist));
    for (int d = 0; d < 2; ++d) {
        low[d] = part[d].left_x + (d == dim ? strip * size : 0);
        high[d] = part[d].right_x + (d == dim ? strip * size : 0);
    }
}
/* [/box] */

int main(int argc, char **argv) {
    const int64_t sizes[] = {rows, columns};
    int rank;
    int64_t wrong = 0, low[2], high[2];
    DRI_Group all;
    DRI_Gdo matrix;
    DRI_Xfer source, sink;
    DRI_Memory memory;
    DRI_Xfer_info info;
    void *buffer;

    ok(DRI_init(&argc, &argv));
    ok(DRI_world_rank(&rank));
    ok(DRI_group_create_world(&all));
    ok(DRI_gdo_create(2, DRI_COMPLEX_INT16, sizes, &matrix));
    /* [limit] */
    source = declare_strips(DRI_SOURCE, matrix, 0, strip_rows, DRI_ROW_MAJOR, 2); /* two buffers */
    sink = declare_strips(DRI_SINK, matrix, 1, strip_columns, DRI_COL_MAJOR, 1);  /* one store */
    ok(DRI_xfer_set_attr(source, DRI_ATTR_WAYS, DRI_WAY_SELF | DRI_WAY_MESSAGE)); /* as between nodes */
    ok(DRI_xfer_query(all, 1, &source, &memory));
    const int64_t limit = memory.workspace_bytes / 2;
    ok(DRI_xfer_set_attr(source, DRI_ATTR_WORKSPACE_LIMIT, limit));
    ok(DRI_commit(all));
    /* [/limit] */

    /* [turn] */
    const int64_t in_strips = (rows + strip_rows - 1) / strip_rows; /* ceil: 8, the last one of 104 rows */
    const int64_t out_strips = (columns + strip_columns - 1) / strip_columns; /* 7 */
    for (int m = 0; m < matrices; ++m) {
        for (int64_t k = 0; k < in_strips; ++k) {
            ok(DRI_xfer_get_buffer(source, &buffer));
            get_box_of_strip(source, k, 0, strip_rows, rank, low, high);
            Sample *to = (Sample *)buffer;
            for (int64_t row = low[0]; row < high[0]; ++row)
                for (int64_t column = low[1]; column < high[1]; ++column)
                    *to++ = value(row, column, m);
            ok(DRI_do(NULL, source)); /* the strip travels while the next one is computed */
        }
        for (int64_t k = 0; k < out_strips; ++k) {
            ok(DRI_extract(sink, &buffer, NULL)); /* moves nothing: the strip lies in the store */
            get_box_of_strip(sink, k, 1, strip_columns, rank, low, high);
            const Sample *from = (const Sample *)buffer;
            for (int64_t column = low[1]; column < high[1]; ++column)
                for (int64_t row = low[0]; row < high[0]; ++row, ++from)
                    wrong += from->re != value(row, column, m).re || from->im != value(row, column, m).im;
            ok(DRI_release(sink));
        }
    }
    /* [/turn] */
    ok(DRI_xfer_get_info(source, &info));
    wrong += info.frames != matrices * in_strips || info.workspace_bytes > limit;
    printf(
        "process %d: %lld strips, workspace of the source %lld bytes instead of %lld; %lld elements are wrong\n",
        rank, (long long)info.frames, (long long)info.workspace_bytes, (long long)memory.workspace_bytes,
        (long long)wrong);
    ok(DRI_finalize());
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
