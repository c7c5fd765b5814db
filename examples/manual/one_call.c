/*
 * A corner turn and a halo exchange, each made by one call: rows of a field are smoothed with the rows of the
 * neighbours, and then turned. Run on 4 processes.
 */
#include <dri/dri.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { rows = 24, columns = 18 };

static void ok(int code) {
    if (code == DRI_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", DRI_error_string(code), DRI_error_message());
    exit(EXIT_FAILURE);
}

static float value(int64_t row, int64_t column) { return (float)(row * row + 3 * column); }

/* Half of the row before and half of the row behind, which is row 0 after the last one. */
static float smooth(int64_t row, int64_t column) {
    return 0.5f * value((row + rows - 1) % rows, column) + 0.5f * value((row + 1) % rows, column);
}

int main(int argc, char **argv) {
    const int64_t sizes[] = {rows, columns};
    int rank;
    int64_t wrong = 0;
    DRI_Group all;
    DRI_Gdo field;
    DRI_Part by_rows;
    DRI_Dist with_overlap;
    DRI_Xfer halo, source, sink;
    DRI_Part_dim rules[2];
    DRI_Part_tuple part[2];
    void *buffer;

    ok(DRI_init(&argc, &argv));
    ok(DRI_world_rank(&rank));
    ok(DRI_group_create_world(&all));
    ok(DRI_gdo_create(2, DRI_FLOAT, sizes, &field));
    memset(rules, 0, sizeof rules);
    rules[0].kind = DRI_BLOCK;
    rules[0].left = rules[0].right = 1;
    rules[0].left_edge = rules[0].right_edge = DRI_WRAP;
    ok(DRI_part_create_rule(2, rules, &by_rows));
    ok(DRI_dist_create(field, by_rows, all, &with_overlap));

    /* [create] */
    /* One row of each neighbour, refreshed in place: one handle stands for source and sink. */
    ok(DRI_halo_create("halo", with_overlap, 1, &halo));
    /* From rows (dimension 0 is cut) to columns (dimension 1), each column contiguous. */
    ok(DRI_turn_create("turn", field, all, 0, 1, DRI_COL_MAJOR, 1, &source, &sink));
    /* [/create] */

    ok(DRI_dist_get_part(with_overlap, rank, part));
    const int64_t first = part[0].left_x, owned = part[0].right_x - first;
    ok(DRI_xfer_get_buffer(halo, &buffer));
    float *const local = (float *)buffer; /* row 0 is the neighbour's */
    for (int64_t row = 0; row < owned; ++row)
        for (int64_t column = 0; column < columns; ++column)
            local[(row + 1) * columns + column] = value(first + row, column);

    /* [frame] */
    ok(DRI_do(NULL, halo)); /* refreshes the rows 0 and owned + 1 of each process */
    ok(DRI_xfer_get_buffer(source, &buffer));
    float *const out = (float *)buffer;
    for (int64_t row = 0; row < owned; ++row)
        for (int64_t column = 0; column < columns; ++column)
            out[row * columns + column] =
                0.5f * local[row * columns + column] + 0.5f * local[(row + 2) * columns + column];
    ok(DRI_do("turn", DRI_XFER_NULL));
    /* [/frame] */

    ok(DRI_xfer_get_buffer(sink, &buffer));
    const float *in = (const float *)buffer;
    int size;
    ok(DRI_world_size(&size));
    const int64_t more = columns % size; /* the first processes have one column more */
    const int64_t least = columns / size, before = rank * least + (rank < more ? rank : more);
    for (int64_t column = before; column < before + least + (rank < more); ++column)
        for (int64_t row = 0; row < rows; ++row)
            wrong += *in++ != smooth(row, column);
    printf("process %d: %lld elements are wrong\n", rank, (long long)wrong);
    /* [destroy] */
    ok(DRI_xfer_destroy(&halo)); /* both endpoints of the halo exchange */
    ok(DRI_xfer_destroy(&source));
    ok(DRI_xfer_destroy(&sink));
    /* [/destroy] */
    ok(DRI_finalize());
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
