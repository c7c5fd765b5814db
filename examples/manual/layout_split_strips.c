/*
 * Strips of split complex numbers, the last of them shorter: where each strip's imaginary plane starts.
 * Run on 4 processes.
 */
#include <dri/dri.h>
#include <stdio.h>
#include <stdlib.h>

enum { rows = 10, columns = 24, strip_rows = 4, strips = 3 };

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
    const int64_t sizes[] = {rows, columns}, start[] = {0, 0}, strip_sizes[] = {strip_rows, columns};
    int rank, wrong = 0;
    DRI_Group all;
    DRI_Gdo matrix, first;
    DRI_Part by_columns;
    DRI_Dist in, out;
    DRI_Layout split;
    DRI_Xfer source, sink;
    DRI_Part_tuple part[2];
    void *buffer;

    ok(DRI_init(&argc, &argv));
    ok(DRI_world_rank(&rank));
    ok(DRI_group_create_world(&all));
    ok(DRI_gdo_create(2, DRI_COMPLEX_FLOAT, sizes, &matrix));
    ok(DRI_gdo_subset(matrix, start, strip_sizes, &first));
    ok(DRI_part_create_blocks(2, 1, &by_columns));
    ok(DRI_dist_create(first, by_columns, all, &in));
    ok(DRI_dist_create(matrix, by_columns, all, &out));
    ok(DRI_layout_with_complex(DRI_ROW_MAJOR, DRI_SPLIT, &split));
    ok(DRI_xfer_create_strips("rows", DRI_SOURCE, matrix, 0, in, split, 1, NULL, &source));
    ok(DRI_xfer_create("rows", DRI_SINK, out, DRI_ROW_MAJOR, 1, NULL, &sink));
    ok(DRI_commit(all));

    /* [strips] */
    for (int64_t k = 0; k < strips; ++k) { /* 4, 4 and 2 rows */
        DRI_Dist strip;
        int64_t strides[2], extents[2], plane;
        ok(DRI_xfer_get_strip(source, k, &strip)); /* the distribution of this strip */
        ok(DRI_dist_get_extents(strip, rank, extents));
        ok(DRI_layout_get_strides(split, strip, rank, strides));
        ok(DRI_layout_get_plane(split, strip, rank, &plane)); /* of the last one: half of the first one's */
        ok(DRI_dist_get_part(strip, rank, part));
        ok(DRI_xfer_get_buffer(source, &buffer));
        float *re = (float *)buffer, *im = re + plane;
        for (int64_t i = 0; i < extents[0]; ++i)
            for (int64_t j = 0; j < extents[1]; ++j) {
                re[i * strides[0] + j * strides[1]] = (float)(k * strip_rows + i);
                im[i * strides[0] + j * strides[1]] = (float)(part[1].left_x + j);
            }
        ok(DRI_dist_destroy(&strip));
        ok(DRI_insert(source, NULL));
        if (k + 1 < strips)
            ok(DRI_acquire(source, &buffer));
    }
    /* [/strips] */

    ok(DRI_do("rows", sink));
    ok(DRI_dist_get_part(out, rank, part));
    ok(DRI_xfer_get_buffer(sink, &buffer));
    const Sample *sample = (const Sample *)buffer;
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = part[1].left_x; j < part[1].right_x; ++j, ++sample)
            wrong += sample->re != (float)i || sample->im != (float)j;

    if (wrong > 0)
        printf("process %d: %d samples are wrong\n", rank, wrong);
    ok(DRI_finalize());
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
