/*
 * A digitiser's complex 16-bit integers become complex floats in volts, in the pass that turns rows into columns.
 * Run on 4 processes.
 */
#include <dri/dri.h>
#include <stdio.h>
#include <stdlib.h>

enum { rows = 40, columns = 70 };

typedef struct {
    int16_t re, im;
} Raw;

typedef struct {
    float re, im;
} Sample;

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
    DRI_Part by_rows, by_columns;
    DRI_Part_tuple part[2];
    void *buffer;

    ok(DRI_init(&argc, &argv));
    ok(DRI_world_rank(&rank));
    ok(DRI_group_create_world(&all));
    ok(DRI_part_create_blocks(2, 0, &by_rows));
    ok(DRI_part_create_blocks(2, 1, &by_columns));

    /* [convert] */
    DRI_Gdo raw, volts; /* the same sizes, other types */
    DRI_Dist in, out;
    DRI_Xfer source, sink;
    ok(DRI_gdo_create(2, DRI_COMPLEX_INT16, sizes, &raw));
    ok(DRI_gdo_create(2, DRI_COMPLEX_FLOAT, sizes, &volts));
    ok(DRI_dist_create(raw, by_rows, all, &in));
    ok(DRI_dist_create(volts, by_columns, all, &out));
    ok(DRI_xfer_create("turn", DRI_SOURCE, in, DRI_ROW_MAJOR, 1, NULL, &source));
    ok(DRI_xfer_create("turn", DRI_SINK, out, DRI_COL_MAJOR, 1, NULL, &sink));
    ok(DRI_xfer_set_attr(sink, DRI_ATTR_CONVERT, 1)); /* on every process of the sink */
    ok(DRI_xfer_set_scale(sink, 1.0 / 4096));         /* the same on every process of the sink */
    ok(DRI_commit(all));
    /* [/convert] */

    ok(DRI_dist_get_part(in, rank, part));
    ok(DRI_xfer_get_buffer(source, &buffer));
    Raw *from = (Raw *)buffer;
    for (int64_t i = part[0].left_x; i < part[0].right_x; ++i)
        for (int64_t j = 0; j < columns; ++j, ++from) {
            from->re = (int16_t)(100 * i + j);
            from->im = (int16_t)(-100 * i - j);
        }
    ok(DRI_do("turn", DRI_XFER_NULL));
    ok(DRI_dist_get_part(out, rank, part));
    ok(DRI_xfer_get_buffer(sink, &buffer));
    const Sample *to = (const Sample *)buffer;
    for (int64_t j = part[1].left_x; j < part[1].right_x; ++j)
        for (int64_t i = 0; i < rows; ++i, ++to) {
            const float expected = (float)(100 * i + j) / 4096;
            wrong += to->re != expected || to->im != -expected;
        }

    if (wrong > 0)
        printf("process %d: %d samples are wrong\n", rank, wrong);
    ok(DRI_finalize());
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
