/*
 * A box of a matrix goes to other processes than the matrix: the sink's array is a subset of the source's.
 * Run on 4 processes.
 */
#include <dri/dri.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { rows = 60, columns = 80, first_row = 10, first_column = 25 };

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
    DRI_Gdo matrix, box;
    DRI_Part by_rows, by_columns;
    DRI_Dist in, out;
    DRI_Xfer source, sink;
    DRI_Part_tuple part[2];
    void *buffer;

    ok(DRI_init(&argc, &argv));
    ok(DRI_world_rank(&rank));
    ok(DRI_group_create_world(&all));
    ok(DRI_gdo_create(2, DRI_INT32, sizes, &matrix));

    /* [subset] */
    const int64_t offsets[] = {first_row, first_column}, box_sizes[] = {20, 30};
    ok(DRI_gdo_subset(matrix, offsets, box_sizes, &box));

    int ndims;
    int64_t box_extents[DRI_MAX_DIMS], elements, bytes;
    ok(DRI_gdo_get_sizes(box, &ndims, box_extents));
    ok(DRI_gdo_get_count(box, &elements, &bytes)); /* of the whole box, over all processes */
    wrong += ndims != 2 || box_extents[0] != 20 || box_extents[1] != 30 || elements != 600 || bytes != 2400;
    /* [/subset] */

    /* [turn] */
    const int swapped[] = {1, 0};
    ok(DRI_part_create_blocks(2, 0, &by_rows));       /* balanced blocks of the rows, one per process */
    ok(DRI_part_turn(by_rows, swapped, &by_columns)); /* the same rule for the columns */
    ok(DRI_dist_create(matrix, by_rows, all, &in));   /* 15 of 60 rows each */
    ok(DRI_dist_create(box, by_columns, all, &out));  /* 8, 8, 7 and 7 of 30 columns */
    /* [/turn] */
    ok(DRI_xfer_create("box", DRI_SOURCE, in, DRI_ROW_MAJOR, 1, NULL, &source));
    ok(DRI_xfer_create("box", DRI_SINK, out, DRI_COL_MAJOR, 1, NULL, &sink));
    ok(DRI_commit(all));

    ok(DRI_dist_get_part(in, rank, part));
    ok(DRI_xfer_get_buffer(source, &buffer));
    int32_t *element = (int32_t *)buffer;
    for (int64_t i = part[0].left_x; i < part[0].right_x; ++i)
        for (int64_t j = 0; j < columns; ++j)
            *element++ = (int32_t)(i * columns + j);

    ok(DRI_do("box", DRI_XFER_NULL));

    /* [check] */
    ok(DRI_dist_get_part(out, rank, part)); /* indices of the box, which start at 0 */
    ok(DRI_xfer_get_buffer(sink, &buffer));
    element = (int32_t *)buffer;
    for (int64_t j = part[1].left_x; j < part[1].right_x; ++j)
        for (int64_t i = part[0].left_x; i < part[0].right_x; ++i)
            wrong += *element++ != (first_row + i) * columns + first_column + j;
    /* [/check] */

    /* [chosen] */
    DRI_Part_dim rules[2];
    DRI_Part blocks;
    DRI_Dist chosen;
    int grid[2];
    memset(rules, 0, sizeof rules);
    rules[0].kind = rules[1].kind = DRI_BLOCK; /* both with nparts 0: the library chooses */
    ok(DRI_part_create_rule(2, rules, &blocks));
    ok(DRI_dist_create(matrix, blocks, all, &chosen));
    ok(DRI_dist_get_grid(chosen, grid));
    wrong += grid[0] * grid[1] != 4;
    if (rank == 0)
        printf("60 x 80 elements over 4 processes: %d x %d parts\n", grid[0], grid[1]);
    /* [/chosen] */

    if (wrong > 0)
        printf("process %d: %d values are wrong\n", rank, wrong);
    ok(DRI_finalize());
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
