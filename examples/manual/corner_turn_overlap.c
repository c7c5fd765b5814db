/*
 * A corner turn whose sink receives its columns with two neighbour columns at each side. Each
 * column is padded.
 *
 * Run on 4 processes.
 */
#include <dri/dri.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { rows = 101, columns = 75, neighbours = 2 };

static void ok(int code) {
    if (code == DRI_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", DRI_error_string(code), DRI_error_message());
    exit(EXIT_FAILURE);
}

static float value(int64_t row, int64_t column) { return (float)(row * columns + column); }

int main(int argc, char **argv) {
    const int64_t sizes[] = {rows, columns};
    int rank;
    DRI_Group all;
    DRI_Gdo matrix;
    DRI_Part by_rows, by_columns;
    DRI_Dist in, out;
    DRI_Layout padded_columns;
    DRI_Xfer source, sink;
    DRI_Part_tuple part[2];
    void *buffer;

    ok(DRI_init(&argc, &argv));
    ok(DRI_world_rank(&rank));
    ok(DRI_group_create_world(&all));
    ok(DRI_gdo_create(2, DRI_FLOAT, sizes, &matrix));
    ok(DRI_part_create_blocks(2, 0, &by_rows));
    ok(DRI_dist_create(matrix, by_rows, all, &in));

    /* [overlap] */
    DRI_Part_dim rules[2]; /* zeros leave both dimensions whole */
    memset(rules, 0, sizeof rules);
    rules[1].kind = DRI_BLOCK;
    rules[1].left = rules[1].right = neighbours;
    rules[1].left_edge = rules[1].right_edge = DRI_WRAP;
    ok(DRI_part_create_rule(2, rules, &by_columns));
    ok(DRI_dist_create(matrix, by_columns, all, &out));
    /* [/overlap] */

    /* [pitch] */
    ok(DRI_layout_with_pitch(DRI_COL_MAJOR, 16, &padded_columns));
    ok(DRI_xfer_create("turn", DRI_SOURCE, in, DRI_ROW_MAJOR, 1, NULL, &source));
    ok(DRI_xfer_create("turn", DRI_SINK, out, padded_columns, 1, NULL, &sink));
    ok(DRI_commit(all));
    /* [/pitch] */

    ok(DRI_dist_get_part(in, rank, part));
    ok(DRI_xfer_get_buffer(source, &buffer));
    float *element = (float *)buffer;
    for (int64_t row = part[0].left_x; row < part[0].right_x; ++row)
        for (int64_t column = 0; column < columns; ++column)
            *element++ = value(row, column);

    ok(DRI_do("turn", DRI_XFER_NULL));

    /* [check] */
    int64_t wrong = 0, strides[2];
    ok(DRI_layout_get_strides(padded_columns, out, rank, strides)); /* 1 and 112 */
    ok(DRI_dist_get_part(out, rank, part));
    ok(DRI_xfer_get_buffer(sink, &buffer));
    const float *first = (const float *)buffer; /* row 0 of the first overlap column */
    const int64_t from = part[1].left_x - part[1].left_v, to = part[1].right_x + part[1].right_v;
    for (int64_t column = from; column < to; ++column)
        for (int64_t row = 0; row < rows; ++row)
            wrong += first[row * strides[0] + (column - from) * strides[1]] !=
                     value(row, (column + columns) % columns); /* -1 is the last column */
    /* [/check] */
    printf("process %d owns columns %lld to %lld and holds %lld columns, "
           "%lld elements apart: %lld are wrong\n",
           rank, (long long)part[1].left_x, (long long)part[1].right_x - 1, (long long)(to - from),
           (long long)strides[1], (long long)wrong);

    ok(DRI_finalize());
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
