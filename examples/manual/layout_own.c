/*
 * Buffers of the program's own: how many bytes one needs, before there is an endpoint. The program then writes the
 * padding of its sink once, before the first frame.
 *
 * Run on 4 processes.
 */
#include <dri/dri.h>
#include <stdio.h>
#include <stdlib.h>

enum { rows = 101, columns = 75, nbuffs = 2, frames = 5 };

static void ok(int code) {
    if (code == DRI_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", DRI_error_string(code), DRI_error_message());
    exit(EXIT_FAILURE);
}

static float value(int64_t row, int64_t column, int frame) { return (float)(row * columns + column + frame); }

int main(int argc, char **argv) {
    const int64_t sizes[] = {rows, columns};
    int rank;
    int64_t wrong = 0;
    DRI_Group all;
    DRI_Gdo matrix;
    DRI_Part by_rows, by_columns;
    DRI_Dist in, out;
    DRI_Layout padded;
    DRI_Xfer source, sink;
    DRI_Part_tuple given[2], received[2];
    void *buffer;

    ok(DRI_init(&argc, &argv));
    ok(DRI_world_rank(&rank));
    ok(DRI_group_create_world(&all));
    ok(DRI_gdo_create(2, DRI_FLOAT, sizes, &matrix));
    ok(DRI_part_create_blocks(2, 0, &by_rows));
    ok(DRI_part_create_blocks(2, 1, &by_columns));
    ok(DRI_dist_create(matrix, by_rows, all, &in));
    ok(DRI_dist_create(matrix, by_columns, all, &out));
    ok(DRI_dist_get_part(in, rank, given));
    ok(DRI_dist_get_part(out, rank, received));
    ok(DRI_layout_with_pitch(DRI_COL_MAJOR, 16, &padded));
    ok(DRI_xfer_create("turn", DRI_SOURCE, in, DRI_ROW_MAJOR, 1, NULL, &source));

    /* [ask] */
    DRI_Xfer question;
    size_t bytes;
    void *own[nbuffs];
    ok(DRI_xfer_create("question", DRI_SINK, out, padded, nbuffs, NULL, &question)); /* allocates nothing */
    ok(DRI_xfer_buffer_bytes(question, &bytes));
    ok(DRI_xfer_destroy(&question));
    for (int i = 0; i < nbuffs; ++i)
        if ((own[i] = calloc(1, bytes)) == NULL)
            return EXIT_FAILURE;
    ok(DRI_xfer_create("turn", DRI_SINK, out, padded, nbuffs, own, &sink));
    /* [/ask] */

    /* [formula] */
    int64_t strides[2], extents[2];
    ok(DRI_layout_get_strides(padded, out, rank, strides)); /* 1 and 112 */
    ok(DRI_dist_get_extents(out, rank, extents));
    const size_t same = (size_t)(strides[1] * extents[1]) * sizeof(float); /* dimension 1 is the slowest */
    /* [/formula] */
    wrong += bytes != same;
    ok(DRI_commit(all));

    /* [padding] */
    void *buffers[nbuffs];
    ok(DRI_xfer_get_buffers(sink, NULL, buffers)); /* after the commit, before the first frame */
    for (int i = 0; i < nbuffs; ++i)
        for (int64_t column = 0; column < extents[1]; ++column)
            for (int64_t row = rows; row < strides[1]; ++row)
                ((float *)buffers[i])[column * strides[1] + row] = -1;
    /* [/padding] */

    for (int frame = 0; frame < frames; ++frame) {
        ok(DRI_xfer_get_buffer(source, &buffer));
        float *element = (float *)buffer;
        for (int64_t row = given[0].left_x; row < given[0].right_x; ++row)
            for (int64_t column = 0; column < columns; ++column)
                *element++ = value(row, column, frame);
        ok(DRI_do("turn", DRI_XFER_NULL));
        ok(DRI_xfer_get_buffer(sink, &buffer));
        const float *local = (const float *)buffer;
        for (int64_t column = 0; column < extents[1]; ++column)
            for (int64_t row = 0; row < strides[1]; ++row)
                wrong += local[column * strides[1] + row] !=
                         (row < rows ? value(row, received[1].left_x + column, frame) : -1);
    }
    printf("process %d: %d buffers of %lld bytes, %lld elements are wrong\n", rank, nbuffs, (long long)bytes,
           (long long)wrong);
    ok(DRI_finalize()); /* destroys the endpoints; only now may the program free its buffers */
    for (int i = 0; i < nbuffs; ++i)
        free(own[i]);
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
