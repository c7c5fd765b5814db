/*
 * A workspace limit that is too small fails the commit on all processes. The program raises the limit to the
 * smallest one that suffices and commits again. Run on 4 processes.
 */
#include <dri/dri.h>
#include <stdio.h>
#include <stdlib.h>

enum { rows = 600, columns = 400, frames = 3 };

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
    DRI_Xfer source, sink;
    DRI_Part_tuple given[2], received[2];
    DRI_Memory memory;
    DRI_Xfer_info info;
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
    /* [limit] */
    ok(DRI_xfer_create("turn", DRI_SOURCE, in, DRI_ROW_MAJOR, 2, NULL, &source));
    ok(DRI_xfer_create("turn", DRI_SINK, out, DRI_COL_MAJOR, 1, NULL, &sink));
    ok(DRI_xfer_set_attr(source, DRI_ATTR_WAYS, DRI_WAY_SELF | DRI_WAY_MESSAGE)); /* as between nodes */
    ok(DRI_xfer_query(all, 1, &source, &memory));

    if (rank == 0) /* one byte too few, on one process */
        ok(DRI_xfer_set_attr(source, DRI_ATTR_WORKSPACE_LIMIT, memory.least_bytes - 1));
    const int code = DRI_commit(all); /* fails on all processes; the endpoints stay declared */
    if (rank == 3)
        printf("%s: %s\n", DRI_error_string(code), DRI_error_message());
    wrong += code != DRI_ERR_LIMIT;

    if (rank == 0) /* mend the cause, then commit again on all processes */
        ok(DRI_xfer_set_attr(source, DRI_ATTR_WORKSPACE_LIMIT, memory.least_bytes));
    ok(DRI_commit(all));
    /* [/limit] */

    for (int frame = 0; frame < frames; ++frame) {
        ok(DRI_xfer_get_buffer(source, &buffer));
        float *element = (float *)buffer;
        for (int64_t row = given[0].left_x; row < given[0].right_x; ++row)
            for (int64_t column = 0; column < columns; ++column)
                *element++ = value(row, column, frame);
        ok(DRI_do("turn", DRI_XFER_NULL));
        ok(DRI_xfer_get_buffer(sink, &buffer));
        element = (float *)buffer;
        for (int64_t column = received[1].left_x; column < received[1].right_x; ++column)
            for (int64_t row = 0; row < rows; ++row)
                wrong += *element++ != value(row, column, frame);
    }
    ok(DRI_xfer_get_info(source, &info));
    printf("process %d: %lld bytes of workspace at the source, %lld messages\n", rank,
           (long long)info.workspace_bytes, (long long)info.messages);
    if (rank == 0)
        wrong += info.workspace_bytes > memory.least_bytes;
    ok(DRI_finalize());
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
