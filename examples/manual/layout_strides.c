/*
 * Explicit strides: the source is a part of the program's own larger array, the sink stores every second element.
 * Run on 3 processes.
 */
#include <dri/dri.h>
#include <stdio.h>
#include <stdlib.h>

enum { rows = 30, columns = 20, row_length = 32, gap = 2 };

static void ok(int code) {
    if (code == DRI_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", DRI_error_string(code), DRI_error_message());
    exit(EXIT_FAILURE);
}

int main(int argc, char **argv) {
    const int64_t sizes[] = {rows, columns};
    int rank, wrong = 0;
    DRI_Group all;
    DRI_Gdo matrix;
    DRI_Part by_rows, by_columns;
    DRI_Dist in, out;
    DRI_Xfer source, sink;
    DRI_Part_tuple part[2];
    void *buffer;

    ok(DRI_init(&argc, &argv));
    ok(DRI_world_rank(&rank));
    ok(DRI_group_create_world(&all));
    ok(DRI_gdo_create(2, DRI_FLOAT, sizes, &matrix));
    ok(DRI_part_create_blocks(2, 0, &by_rows));
    ok(DRI_part_create_blocks(2, 1, &by_columns));
    ok(DRI_dist_create(matrix, by_rows, all, &in));
    ok(DRI_dist_create(matrix, by_columns, all, &out));

    /* [own] */
    static float larger[rows][row_length]; /* row i of this process's part is larger[i], columns 5 to 24 */
    const int64_t strides[] = {row_length, 1};
    void *start = &larger[0][5]; /* a buffer's address is that of the part's first element */
    DRI_Layout of_larger;
    ok(DRI_layout_create(2, strides, &of_larger));
    ok(DRI_xfer_create("own", DRI_SOURCE, in, of_larger, 1, &start, &source));
    size_t bytes;
    ok(DRI_xfer_buffer_bytes(source, &bytes)); /* from the first element to the last, gaps included */
    wrong += bytes != (9 * row_length + columns) * sizeof(float);
    /* [/own] */

    /* [gaps] */
    const int64_t wide[] = {gap, gap * rows}; /* column-major, every second element; the library's buffer */
    DRI_Layout every_second;
    ok(DRI_layout_create(2, wide, &every_second));
    ok(DRI_xfer_create("own", DRI_SINK, out, every_second, 1, NULL, &sink));
    /* [/gaps] */
    ok(DRI_commit(all));

    ok(DRI_dist_get_part(in, rank, part));
    for (int64_t i = part[0].left_x; i < part[0].right_x; ++i)
        for (int64_t j = 0; j < columns; ++j)
            larger[i - part[0].left_x][5 + j] = (float)(i * columns + j);
    ok(DRI_do("own", DRI_XFER_NULL));
    ok(DRI_dist_get_part(out, rank, part));
    ok(DRI_xfer_get_buffer(sink, &buffer));
    const float *local = (const float *)buffer;
    for (int64_t j = part[1].left_x; j < part[1].right_x; ++j)
        for (int64_t i = 0; i < rows; ++i)
            wrong += local[i * wide[0] + (j - part[1].left_x) * wide[1]] != (float)(i * columns + j);

    /* [nest] */
    const int64_t meeting[] = {3, 2}; /* elements (0,3) and (2,0) would share an address */
    int64_t found[2];
    DRI_Layout wrong_strides;
    ok(DRI_layout_create(2, meeting, &wrong_strides)); /* no part is known here yet */
    const int code = DRI_layout_get_strides(wrong_strides, in, rank, found);
    wrong += code != DRI_ERR_ARG;
    if (rank == 0)
        printf("%s\n", DRI_error_message());
    /* [/nest] */

    if (wrong > 0)
        printf("process %d: %d values are wrong\n", rank, wrong);
    ok(DRI_finalize());
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
