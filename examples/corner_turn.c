/* A corner turn: every process puts in some rows of a matrix and gets out some columns, each contiguous. */
#include <dri/dri.h>
#include <stdio.h>
#include <stdlib.h>

enum { rows = 1000, columns = 750 };

typedef struct {
    float re, im;
} Sample;

static Sample value(int64_t row, int64_t column) {
    const Sample sample = {(float)row, (float)column};
    return sample;
}

static void ok(int code) {
    if (code == DRI_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", DRI_error_string(code), DRI_error_message());
    exit(EXIT_FAILURE);
}

int main(int argc, char **argv) {
    const int64_t sizes[] = {rows, columns};
    DRI_Group all;
    DRI_Gdo matrix;
    DRI_Part by_rows, by_columns;
    DRI_Dist in, out;
    DRI_Xfer source, sink;

    ok(DRI_init(&argc, &argv));
    ok(DRI_group_create_world(&all));
    ok(DRI_gdo_create(2, DRI_COMPLEX_FLOAT, sizes, &matrix));
    ok(DRI_part_create_blocks(2, 0, &by_rows));
    ok(DRI_part_create_blocks(2, 1, &by_columns));
    ok(DRI_dist_create(matrix, by_rows, all, &in));
    ok(DRI_dist_create(matrix, by_columns, all, &out));
    ok(DRI_xfer_create("turn", DRI_SOURCE, in, DRI_ROW_MAJOR, 1, NULL, &source));
    ok(DRI_xfer_create("turn", DRI_SINK, out, DRI_COL_MAJOR, 1, NULL, &sink));
    ok(DRI_commit(all));

    int rank;
    void *buffer;
    DRI_Part_tuple part[2]; /* the rows and the columns that this process owns */
    ok(DRI_world_rank(&rank));
    ok(DRI_dist_get_part(in, rank, part));
    ok(DRI_xfer_get_buffer(source, &buffer));
    Sample *element = (Sample *)buffer;
    for (int64_t row = part[0].left_x; row < part[0].right_x; ++row)
        for (int64_t column = 0; column < columns; ++column)
            *element++ = value(row, column);

    ok(DRI_do("turn", DRI_XFER_NULL)); /* once per frame */

    int64_t wrong = 0;
    ok(DRI_dist_get_part(out, rank, part));
    ok(DRI_xfer_get_buffer(sink, &buffer));
    element = (Sample *)buffer;
    for (int64_t column = part[1].left_x; column < part[1].right_x; ++column)
        for (int64_t row = 0; row < rows; ++row, ++element)
            wrong += element->re != value(row, column).re || element->im != value(row, column).im;
    if (rank == 0 || wrong > 0)
        printf("process %d has columns %lld to %lld of %d: %lld elements are wrong\n", rank,
               (long long)part[1].left_x, (long long)part[1].right_x - 1, columns, (long long)wrong);

    ok(DRI_finalize());
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
