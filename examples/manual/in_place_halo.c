/*
 * A halo exchange in place: each process smooths its rows, and the frame refreshes the row of each neighbour in
 * the same array. The owned rows stay where they are. Run on 4 processes.
 */
#include <dri/dri.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { rows = 40, columns = 30, steps = 10 };

static void ok(int code) {
    if (code == DRI_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", DRI_error_string(code), DRI_error_message());
    exit(EXIT_FAILURE);
}

static double start(int64_t row, int64_t column) { return (double)((row * 7 + column * 3) % 11); }

static void smooth(double *to, const double *above, const double *here, const double *below) {
    for (int64_t column = 0; column < columns; ++column)
        to[column] = 0.25 * above[column] + 0.5 * here[column] + 0.25 * below[column];
}

int main(int argc, char **argv) {
    const int64_t sizes[] = {rows, columns};
    static double expected[rows][columns], before[rows][columns], next[rows][columns];
    int rank;
    int64_t wrong = 0;
    DRI_Group all;
    DRI_Gdo field;
    DRI_Part cut;
    DRI_Dist dist;
    DRI_Xfer source, sink;
    DRI_Part_tuple part[2];
    void *buffer;

    ok(DRI_init(&argc, &argv));
    ok(DRI_world_rank(&rank));
    ok(DRI_group_create_world(&all));
    ok(DRI_gdo_create(2, DRI_DOUBLE, sizes, &field));
    /* [declare] */
    DRI_Part_dim rules[2]; /* zeros leave both dimensions whole */
    memset(rules, 0, sizeof rules);
    rules[0].kind = DRI_BLOCK;
    rules[0].left = rules[0].right = 1; /* one row of each neighbour */
    rules[0].left_edge = rules[0].right_edge = DRI_WRAP;
    ok(DRI_part_create_rule(2, rules, &cut));
    ok(DRI_dist_create(field, cut, all, &dist)); /* the same distribution, with overlap, twice */
    ok(DRI_xfer_create("halo", DRI_SOURCE, dist, DRI_ROW_MAJOR, 1, NULL, &source));
    ok(DRI_xfer_create("halo", DRI_SINK, dist, DRI_ROW_MAJOR, 1, NULL, &sink));
    ok(DRI_xfer_set_attr(source, DRI_ATTR_IN_PLACE, 1));
    ok(DRI_xfer_set_attr(sink, DRI_ATTR_IN_PLACE, 1));
    ok(DRI_commit(all));
    /* [/declare] */

    ok(DRI_dist_get_part(dist, rank, part));
    ok(DRI_xfer_get_buffer(source, &buffer));
    double *const local = (double *)buffer; /* row 0 is the neighbour's, the owned rows start at row 1 */
    const int64_t owned = part[0].right_x - part[0].left_x;
    for (int64_t row = 0; row < owned; ++row)
        for (int64_t column = 0; column < columns; ++column)
            local[(row + 1) * columns + column] = start(part[0].left_x + row, column);

    for (int step = 0; step < steps; ++step) {
        /* [step] */
        ok(DRI_do("halo", DRI_XFER_NULL)); /* refreshes the rows 0 and owned + 1 */
        for (int64_t row = 0; row < owned; ++row)
            smooth(next[row], local + row * columns, local + (row + 1) * columns, local + (row + 2) * columns);
        for (int64_t row = 0; row < owned; ++row)
            for (int64_t column = 0; column < columns; ++column)
                local[(row + 1) * columns + column] = next[row][column];
        /* [/step] */
    }

    /* The same steps on the whole field. */
    for (int64_t row = 0; row < rows; ++row)
        for (int64_t column = 0; column < columns; ++column)
            expected[row][column] = start(row, column);
    for (int step = 0; step < steps; ++step) {
        for (int64_t row = 0; row < rows; ++row)
            for (int64_t column = 0; column < columns; ++column)
                before[row][column] = expected[row][column];
        for (int64_t row = 0; row < rows; ++row)
            smooth(expected[row], before[(row + rows - 1) % rows], before[row], before[(row + 1) % rows]);
    }
    for (int64_t row = 0; row < owned; ++row)
        for (int64_t column = 0; column < columns; ++column)
            wrong += local[(row + 1) * columns + column] != expected[part[0].left_x + row][column];
    printf("process %d: %lld elements are wrong\n", rank, (long long)wrong);
    ok(DRI_finalize());
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
