/*
 * A commit that fails on all processes in the same way, the mended commit, and a handler that counts failures. The
 * processes then add up their results, or fail together.
 *
 * Run on 4 processes.
 */
#include <dri/dri.h>
#include <stdio.h>
#include <stdlib.h>

enum { rows = 20, columns = 30 };

static void ok(int code) {
    if (code == DRI_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", DRI_error_string(code), DRI_error_message());
    exit(EXIT_FAILURE);
}

/* [handler] */
static void count_failure(int code, const char *message, void *context) {
    int *failures = (int *)context;
    ++*failures;
    fprintf(stderr, "%s: %s\n", DRI_error_string(code), message);
}
/* [/handler] */

/* [fail] */
static int set_gain(double gain) {
    if (gain <= 0)
        return DRI_fail(DRI_ERR_ARG, "set_gain: gain must be positive");
    return DRI_SUCCESS;
}
/* [/fail] */

static DRI_Dist cut(DRI_Gdo matrix, int dim, DRI_Group group) {
    DRI_Part part;
    DRI_Dist dist;
    ok(DRI_part_create_blocks(2, dim, &part));
    ok(DRI_dist_create(matrix, part, group, &dist));
    return dist;
}

static float value(int64_t row, int64_t column) { return (float)(row * columns + column); }

int main(int argc, char **argv) {
    const int64_t sizes[] = {rows, columns};
    int rank, failures = 0;
    DRI_Group all;
    DRI_Gdo floats, doubles;
    DRI_Xfer source, sink;
    DRI_Part_tuple mine[2];
    void *buffer;

    ok(DRI_init(&argc, &argv));
    ok(DRI_world_rank(&rank));
    ok(DRI_group_create_world(&all));
    ok(DRI_gdo_create(2, DRI_FLOAT, sizes, &floats));
    ok(DRI_gdo_create(2, DRI_DOUBLE, sizes, &doubles));
    const DRI_Dist in = cut(floats, 0, all), out = cut(floats, 1, all), wrong_out = cut(doubles, 1, all);

    /* [mend] */
    ok(DRI_set_error_handler(count_failure, &failures));
    ok(DRI_xfer_create("turn", DRI_SOURCE, in, DRI_ROW_MAJOR, 1, NULL, &source));
    ok(DRI_xfer_create("turn", DRI_SINK, wrong_out, DRI_COL_MAJOR, 1, NULL, &sink));
    const int code = DRI_commit(all); /* DRI_ERR_MISMATCH on all processes: the types differ */

    ok(DRI_xfer_destroy(&sink)); /* the source stays declared */
    ok(DRI_xfer_create("turn", DRI_SINK, out, DRI_COL_MAJOR, 1, NULL, &sink));
    ok(DRI_commit(all));
    ok(DRI_set_error_handler(NULL, NULL));
    /* [/mend] */

    ok(DRI_dist_get_part(in, rank, mine));
    ok(DRI_xfer_get_buffer(source, &buffer));
    float *element = (float *)buffer;
    for (int64_t row = mine[0].left_x; row < mine[0].right_x; ++row)
        for (int64_t column = 0; column < columns; ++column)
            *element++ = value(row, column);

    ok(DRI_do("turn", DRI_XFER_NULL));

    int64_t wrong = code != DRI_ERR_MISMATCH || failures != 1;
    wrong += set_gain(2) != DRI_SUCCESS || set_gain(-1) != DRI_ERR_ARG;
    ok(DRI_dist_get_part(out, rank, mine));
    ok(DRI_xfer_get_buffer(sink, &buffer));
    element = (float *)buffer;
    for (int64_t column = mine[1].left_x; column < mine[1].right_x; ++column)
        for (int64_t row = 0; row < rows; ++row)
            wrong += *element++ != value(row, column);

    /* [agree] */
    /* Each process gives what it has counted, or a code if it cannot go on. */
    enum { max_processes = 64 };
    int64_t of_all[max_processes], sum = 0;
    int processes;
    ok(DRI_world_size(&processes));
    const int mine_is = processes <= max_processes ? DRI_SUCCESS : DRI_ERR_LIMIT;
    ok(DRI_group_gather(all, mine_is, &wrong, sizeof wrong, NULL, of_all, sizeof of_all));
    for (int i = 0; i < processes; ++i)
        sum += of_all[i];
    /* [/agree] */
    printf("process %d: %d call failed, %lld elements are wrong, %lld on all processes\n", rank, failures,
           (long long)wrong, (long long)sum);
    ok(DRI_finalize());
    return sum > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
