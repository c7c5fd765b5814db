/*
 * A matrix of 6 x 8 in four boxes that form no grid becomes the same matrix cut by rows.
 * Run on 4 processes.
 */
#include <dri/dri.h>
#include <stdio.h>
#include <stdlib.h>

enum { rows = 6, columns = 8 };

static void ok(int code) {
    if (code == DRI_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", DRI_error_string(code), DRI_error_message());
    exit(EXIT_FAILURE);
}

int main(int argc, char **argv) {
    const int64_t sizes[] = {rows, columns};
    int rank;
    DRI_Group all;
    DRI_Gdo matrix;
    DRI_Part boxes, by_rows;
    DRI_Dist in, out;
    DRI_Xfer source, sink;
    DRI_Part_tuple part[2];
    void *buffer;

    ok(DRI_init(&argc, &argv));
    ok(DRI_world_rank(&rank));
    ok(DRI_group_create_world(&all));
    ok(DRI_gdo_create(2, DRI_INT32, sizes, &matrix));

    /* [pieces] */
    /* What each process owns: {left_v, left_x, right_x, right_v} of the rows, then of the columns. */
    const DRI_Part_tuple pieces[4][2] = {
        {{0, 0, 6, 0}, {0, 0, 3, 0}}, /* process 0: all rows of columns 0 to 2 */
        {{0, 0, 2, 0}, {0, 3, 8, 0}}, /* process 1: rows 0 and 1 of columns 3 to 7 */
        {{0, 2, 6, 0}, {0, 3, 5, 0}}, /* process 2: rows 2 to 5 of columns 3 and 4 */
        {{0, 2, 6, 0}, {0, 5, 8, 0}}, /* process 3: rows 2 to 5 of columns 5 to 7 */
    };
    ok(DRI_part_create(2, pieces[rank], &boxes)); /* each process passes its own piece */
    ok(DRI_dist_create(matrix, boxes, all, &in));
    /* [/pieces] */
    ok(DRI_part_create_blocks(2, 0, &by_rows));
    ok(DRI_dist_create(matrix, by_rows, all, &out));
    ok(DRI_xfer_create("boxes", DRI_SOURCE, in, DRI_ROW_MAJOR, 1, NULL, &source));
    ok(DRI_xfer_create("boxes", DRI_SINK, out, DRI_ROW_MAJOR, 1, NULL, &sink));
    ok(DRI_commit(all));

    ok(DRI_xfer_get_buffer(source, &buffer));
    int32_t *element = (int32_t *)buffer;
    for (int64_t i = pieces[rank][0].left_x; i < pieces[rank][0].right_x; ++i)
        for (int64_t j = pieces[rank][1].left_x; j < pieces[rank][1].right_x; ++j)
            *element++ = (int32_t)(i * columns + j);

    ok(DRI_do("boxes", DRI_XFER_NULL));

    int wrong = 0;
    ok(DRI_dist_get_part(out, rank, part));
    ok(DRI_xfer_get_buffer(sink, &buffer));
    element = (int32_t *)buffer;
    for (int64_t i = part[0].left_x; i < part[0].right_x; ++i)
        for (int64_t j = 0; j < columns; ++j)
            wrong += *element++ != i * columns + j;

    /* [gap] */
    /* Two processes that own the same column, and nobody who owns the last one: fine for a sink only. */
    const DRI_Part_tuple overlapping[2] = {{0, 0, 6, 0}, {0, rank, rank + 2, 0}};
    DRI_Part columns_twice;
    DRI_Dist shared;
    DRI_Xfer refused;
    ok(DRI_part_create(2, overlapping, &columns_twice));
    ok(DRI_dist_create(matrix, columns_twice, all, &shared));
    const int code = DRI_xfer_create("shared", DRI_SOURCE, shared, DRI_ROW_MAJOR, 1, NULL, &refused);
    wrong += code != DRI_ERR_OVERLAP;
    if (rank == 0)
        printf("%s: %s\n", DRI_error_string(code), DRI_error_message());
    /* [/gap] */

    if (wrong > 0)
        printf("process %d: %d elements are wrong\n", rank, wrong);
    ok(DRI_finalize());
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
