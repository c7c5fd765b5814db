/*
 * Lets a commit measure the kernels, and keeps what it found in a file. A later commit uses it without measuring.
 * Run on 2 processes.
 */
#include <dri/dri.h>
#include <stdio.h>
#include <stdlib.h>

enum { rows = 700, columns = 900 };

static void ok(int code) {
    if (code == DRI_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", DRI_error_string(code), DRI_error_message());
    exit(EXIT_FAILURE);
}

static double value(int64_t row, int64_t column) { return (double)(row * columns + column); }

/* Commits a corner turn and executes one frame; returns the number of wrong elements. */
static int64_t turn(const char *name, DRI_Planning planning, char *text, size_t n) {
    const int64_t sizes[] = {rows, columns};
    int rank;
    int64_t wrong = 0;
    DRI_Group all;
    DRI_Gdo matrix;
    DRI_Part by_rows, by_columns;
    DRI_Dist in, out;
    DRI_Xfer source, sink;
    DRI_Part_tuple given[2], received[2];
    void *buffer;
    ok(DRI_world_rank(&rank));
    ok(DRI_group_create_world(&all));
    ok(DRI_gdo_create(2, DRI_DOUBLE, sizes, &matrix));
    ok(DRI_part_create_blocks(2, 0, &by_rows));
    ok(DRI_part_create_blocks(2, 1, &by_columns));
    ok(DRI_dist_create(matrix, by_rows, all, &in));
    ok(DRI_dist_create(matrix, by_columns, all, &out));
    ok(DRI_dist_get_part(in, rank, given));
    ok(DRI_dist_get_part(out, rank, received));
    /* [measure] */
    ok(DRI_xfer_create(name, DRI_SOURCE, in, DRI_ROW_MAJOR, 1, NULL, &source));
    ok(DRI_xfer_create(name, DRI_SINK, out, DRI_COL_MAJOR, 1, NULL, &sink));
    ok(DRI_xfer_set_attr(source, DRI_ATTR_PLAN, planning)); /* DRI_MEASURE or DRI_ESTIMATE */
    ok(DRI_xfer_set_attr(sink, DRI_ATTR_PLAN, planning));
    ok(DRI_commit(all));
    ok(DRI_xfer_explain(sink, text, n)); /* shows what was measured */
    /* [/measure] */
    ok(DRI_xfer_get_buffer(source, &buffer));
    double *element = (double *)buffer;
    for (int64_t row = given[0].left_x; row < given[0].right_x; ++row)
        for (int64_t column = 0; column < columns; ++column)
            *element++ = value(row, column);
    ok(DRI_do(name, DRI_XFER_NULL));
    ok(DRI_xfer_get_buffer(sink, &buffer));
    element = (double *)buffer;
    for (int64_t column = received[1].left_x; column < received[1].right_x; ++column)
        for (int64_t row = 0; row < rows; ++row)
            wrong += *element++ != value(row, column);
    return wrong;
}

int main(int argc, char **argv) {
    static char explained[10000];
    int rank;
    ok(DRI_init(&argc, &argv));
    ok(DRI_world_rank(&rank));
    int64_t wrong = turn("measured", DRI_MEASURE, explained, sizeof explained);
    if (rank == 0)
        printf("%s", explained);

    /* [wisdom] */
    size_t bytes;
    ok(DRI_wisdom_export(NULL, 0, &bytes)); /* the size alone, with the NUL byte */
    char *wisdom = (char *)malloc(bytes);
    ok(DRI_wisdom_export(wisdom, bytes, NULL));
    FILE *file = tmpfile(); /* a program would keep one file for each process */
    if (!file || fwrite(wisdom, 1, bytes, file) != bytes)
        return EXIT_FAILURE;

    rewind(file); /* usually in the next run, after DRI_init */
    if (fread(wisdom, 1, bytes, file) != bytes)
        return EXIT_FAILURE;
    ok(DRI_wisdom_import(wisdom));
    /* [/wisdom] */
    fclose(file);
    free(wisdom);

    wrong += turn("estimated", DRI_ESTIMATE, explained, sizeof explained);
    if (rank == 0)
        printf("%s", explained);
    ok(DRI_finalize());
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
