/*
 * Split complex numbers: interleaved rows in, split columns out, and back.
 * Run on 4 processes.
 */
#include <dri/dri.h>
#include <stdio.h>
#include <stdlib.h>

enum { rows = 50, columns = 30 };

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
    DRI_Gdo matrix;
    DRI_Part by_rows, by_columns;
    DRI_Dist in, out;
    DRI_Xfer source, sink;
    DRI_Part_tuple part[2];
    void *buffer;

    ok(DRI_init(&argc, &argv));
    ok(DRI_world_rank(&rank));
    ok(DRI_group_create_world(&all));
    ok(DRI_gdo_create(2, DRI_COMPLEX_FLOAT, sizes, &matrix));
    ok(DRI_part_create_blocks(2, 0, &by_rows));
    ok(DRI_part_create_blocks(2, 1, &by_columns));
    ok(DRI_dist_create(matrix, by_rows, all, &in));
    ok(DRI_dist_create(matrix, by_columns, all, &out));

    /* [layout] */
    DRI_Layout split;
    ok(DRI_layout_with_complex(DRI_COL_MAJOR, DRI_SPLIT, &split));
    ok(DRI_xfer_create("turn", DRI_SOURCE, in, DRI_ROW_MAJOR, 1, NULL, &source)); /* interleaved */
    ok(DRI_xfer_create("turn", DRI_SINK, out, split, 1, NULL, &sink));
    ok(DRI_commit(all));
    /* [/layout] */

    ok(DRI_dist_get_part(in, rank, part));
    ok(DRI_xfer_get_buffer(source, &buffer));
    Sample *sample = (Sample *)buffer;
    for (int64_t i = part[0].left_x; i < part[0].right_x; ++i)
        for (int64_t j = 0; j < columns; ++j, ++sample) {
            sample->re = (float)i;
            sample->im = (float)j;
        }

    ok(DRI_do("turn", DRI_XFER_NULL));

    /* [planes] */
    int64_t strides[2], plane;
    ok(DRI_layout_get_strides(split, out, rank, strides)); /* in components: 1 and 50 */
    ok(DRI_layout_get_plane(split, out, rank, &plane));    /* in components: 50 times the part's columns */
    ok(DRI_dist_get_part(out, rank, part));
    ok(DRI_xfer_get_buffer(sink, &buffer));
    const float *re = (const float *)buffer, *im = re + plane;
    for (int64_t j = part[1].left_x; j < part[1].right_x; ++j)
        for (int64_t i = 0; i < rows; ++i) {
            const int64_t at = i * strides[0] + (j - part[1].left_x) * strides[1];
            wrong += re[at] != (float)i || im[at] != (float)j;
        }
    /* [/planes] */

    if (wrong > 0)
        printf("process %d: %d samples are wrong\n", rank, wrong);
    ok(DRI_finalize());
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
