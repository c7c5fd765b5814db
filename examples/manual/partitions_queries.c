/*
 * Each process finds its own part of a matrix that is cut in both dimensions, and sums all that it owns.
 * Run on 6 processes.
 */
#include <dri/dri.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { rows = 50, columns = 40 };

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
    DRI_Part part;
    DRI_Dist dist, again;
    DRI_Part_dim rules[2];

    ok(DRI_init(&argc, &argv));
    ok(DRI_world_rank(&rank));
    ok(DRI_group_create_world(&all));
    ok(DRI_gdo_create(2, DRI_INT32, sizes, &matrix));

    /* [grid] */
    memset(rules, 0, sizeof rules);
    rules[0].kind = DRI_BLOCK; /* nparts 0: DRI_dist_create chooses the grid */
    rules[0].left = rules[0].right = 1;
    rules[1].kind = DRI_BLOCK_CYCLIC;
    rules[1].nparts = 2;
    rules[1].block = 3;
    ok(DRI_part_create_rule(2, rules, &part));
    ok(DRI_dist_create(matrix, part, all, &dist));

    int grid[2], coords[2];
    ok(DRI_dist_get_grid(dist, grid)); /* 6 processes, 2 parts of the columns: 3 parts of the rows */
    ok(DRI_dist_get_coords(dist, rank, coords));
    wrong += grid[0] != 3 || grid[1] != 2;
    wrong += rank != coords[0] * grid[1] + coords[1]; /* row-major order */
    /* [/grid] */

    /* [memory] */
    int64_t extents[2], strides[2], owned, held;
    ok(DRI_dist_get_extents(dist, rank, extents)); /* of the local array, with overlap */
    ok(DRI_dist_get_count(dist, rank, &owned, &held));
    ok(DRI_layout_get_strides(DRI_ROW_MAJOR, dist, rank, strides));
    int32_t *local = (int32_t *)calloc((size_t)held, sizeof *local);
    if (!local)
        return EXIT_FAILURE;
    wrong += held != extents[0] * extents[1];
    /* [/memory] */

    /* [blocks] */
    int64_t row_blocks, column_blocks, visited = 0;
    ok(DRI_dist_num_blocks(dist, rank, 0, &row_blocks));    /* 1 */
    ok(DRI_dist_num_blocks(dist, rank, 1, &column_blocks)); /* 7 */
    for (int64_t b = 0; b < row_blocks; ++b)
        for (int64_t c = 0; c < column_blocks; ++c) {
            DRI_Block r, s;
            ok(DRI_dist_get_block(dist, rank, 0, b, &r));
            ok(DRI_dist_get_block(dist, rank, 1, c, &s));
            int32_t *first = local + r.local * strides[0] + s.local * strides[1]; /* owned row and column */
            for (int64_t i = 0; i < r.size; ++i)
                for (int64_t j = 0; j < s.size; ++j, ++visited) {
                    const int64_t row = r.global + i, column = s.global + j;
                    first[i * strides[0] + j * strides[1]] = (int32_t)(row * columns + column);
                }
        }
    wrong += visited != owned;
    /* [/blocks] */

    /* [indices] */
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j) {
            const int64_t global[2] = {i, j};
            int64_t at[2], back[2];
            int owner;
            ok(DRI_dist_owner(dist, global, &owner));
            if (owner != rank)
                continue;
            ok(DRI_dist_local_index(dist, rank, global, at));
            wrong += local[at[0] * strides[0] + at[1] * strides[1]] != i * columns + j;
            ok(DRI_dist_global_index(dist, rank, at, back));
            wrong += back[0] != i || back[1] != j;
        }
    /* [/indices] */

    /* [tuple] */
    DRI_Part_tuple bounds[2];
    ok(DRI_dist_get_part(dist, rank, bounds));
    DRI_Block top;
    ok(DRI_dist_get_block(dist, rank, 0, 0, &top));
    wrong += bounds[0].left_x != top.global || bounds[0].left_v != top.local; /* one block: all there is */
    wrong += bounds[1].right_x - bounds[1].left_x < 20; /* seven blocks: from the first to the last */
    /* [/tuple] */

    /* [equal] */
    char text[100];
    int flag, n, copies[6];
    ok(DRI_dist_create(matrix, part, all, &again));
    ok(DRI_dist_equal(dist, again, &flag)); /* made by two calls, and equal */
    ok(DRI_dist_describe(dist, text, sizeof text));
    const int64_t corner[2] = {rows - 1, columns - 1};
    ok(DRI_dist_replicas(dist, corner, &n, copies)); /* nothing is replicated: one copy */
    wrong += flag != 1 || n != 1;
    if (rank == 0)
        printf("%s: the last element is on process %d\n", text, copies[0]);
    /* [/equal] */

    free(local);
    if (wrong > 0)
        printf("process %d: %d answers are wrong\n", rank, wrong);
    ok(DRI_finalize());
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
