/*
 * A two-dimensional Fourier transform of each frame: all rows with FFTW, a corner turn, all columns with
 * FFTW.
 *
 * Run on 4 processes.
 */
#include <dri/dri.h>
#include <fftw3.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { rows = 96, columns = 60, frames = 3 };

static const double circle = 6.283185307179586;

static void ok(int code) {
    if (code == DRI_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", DRI_error_string(code), DRI_error_message());
    exit(EXIT_FAILURE);
}

/* Transforms n contiguous lines of elements in place. NULL if the process has none. */
static fftwf_plan plan_lines(int length, int n, fftwf_complex *line) {
    if (n == 0)
        return NULL;
    return fftwf_plan_many_dft(1, &length, n, line, NULL, 1, length, line, NULL, 1, length, FFTW_FORWARD,
                               FFTW_ESTIMATE);
}

static double phase(int64_t row, int64_t column, int64_t k, int64_t l) {
    const double along_column = (double)(row * k % rows) / (double)rows;
    const double along_row = (double)(column * l % columns) / (double)columns;
    return circle * (along_column + along_row);
}

/* [signal] */
/* Input: a point at (frame + 7, 11), and a wave that lies at (3, frame + 5) of the spectrum. */
static void input(int64_t frame, int64_t row, int64_t column, fftwf_complex element) {
    const double wave = phase(row, column, 3, frame + 5);
    element[0] = (float)(cos(wave) / 64 + (row == frame + 7 && column == 11));
    element[1] = (float)(sin(wave) / 64);
}

/* Whether an element of the output is that of the transform of the input. */
static int is_right(int64_t frame, int64_t k, int64_t l, const fftwf_complex element) {
    const double point = phase(frame + 7, 11, k, l);
    const double re = cos(point) + (k == 3 && l == frame + 5 ? rows * columns / 64.0 : 0);
    return hypot(element[0] - re, element[1] + sin(point)) < 1e-3;
}
/* [/signal] */

int main(int argc, char **argv) {
    const int64_t sizes[] = {rows, columns};
    int rank;
    DRI_Group all;
    DRI_Gdo matrix;
    DRI_Part by_rows, by_columns;
    DRI_Dist in, out;
    DRI_Xfer source, sink;
    DRI_Part_tuple mine[2];
    void *buffer;

    ok(DRI_init(&argc, &argv));
    ok(DRI_world_rank(&rank));
    ok(DRI_group_create_world(&all));
    ok(DRI_gdo_create(2, DRI_COMPLEX_FLOAT, sizes, &matrix));
    ok(DRI_part_create_blocks(2, 0, &by_rows));
    ok(DRI_part_create_blocks(2, 1, &by_columns));
    ok(DRI_dist_create(matrix, by_rows, all, &in));
    ok(DRI_dist_create(matrix, by_columns, all, &out));
    ok(DRI_xfer_create("turn", DRI_SOURCE, in, DRI_ROW_MAJOR, 1, NULL, &source));
    ok(DRI_xfer_create("turn", DRI_SINK, out, DRI_COL_MAJOR, 1, NULL, &sink));
    ok(DRI_commit(all));

    /* [plans] */
    ok(DRI_dist_get_part(in, rank, mine));
    const int64_t first_row = mine[0].left_x, end_row = mine[0].right_x;
    ok(DRI_dist_get_part(out, rank, mine));
    const int64_t first_column = mine[1].left_x, end_column = mine[1].right_x;

    ok(DRI_xfer_get_buffers(source, NULL, &buffer)); /* one buffer each, the same in all frames */
    fftwf_complex *row_data = (fftwf_complex *)buffer;
    ok(DRI_xfer_get_buffers(sink, NULL, &buffer));
    fftwf_complex *column_data = (fftwf_complex *)buffer;

    const fftwf_plan along_rows = plan_lines(columns, (int)(end_row - first_row), row_data);
    const fftwf_plan along_columns = plan_lines(rows, (int)(end_column - first_column), column_data);
    /* [/plans] */

    int64_t wrong = 0;
    for (int64_t frame = 0; frame < frames; ++frame) {
        fftwf_complex *element = row_data;
        for (int64_t row = first_row; row < end_row; ++row)
            for (int64_t column = 0; column < columns; ++column)
                input(frame, row, column, *element++);

        /* [frame] */
        if (along_rows)
            fftwf_execute(along_rows);
        ok(DRI_do("turn", DRI_XFER_NULL));
        if (along_columns)
            fftwf_execute(along_columns);
        /* [/frame] */

        element = column_data;
        for (int64_t l = first_column; l < end_column; ++l)
            for (int64_t k = 0; k < rows; ++k)
                wrong += !is_right(frame, k, l, *element++);
    }
    printf("process %d: %d frames, columns %lld to %lld, %lld elements are wrong\n", rank, frames,
           (long long)first_column, (long long)end_column - 1, (long long)wrong);

    if (along_rows)
        fftwf_destroy_plan(along_rows);
    if (along_columns)
        fftwf_destroy_plan(along_columns);
    ok(DRI_finalize());
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
