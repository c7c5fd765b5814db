/*
 * Asks for the memory of a transfer before the commit reserves it, and compares it with what is reserved.
 * Run on 4 processes.
 */
#include <dri/dri.h>
#include <stdio.h>
#include <stdlib.h>

enum { rows = 600, columns = 400 };

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
    int64_t wrong = 0;
    DRI_Group all;
    DRI_Gdo matrix;
    DRI_Part by_rows, by_columns;
    DRI_Dist in, out;
    DRI_Xfer xfers[2];
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
    /* [query] */
    ok(DRI_xfer_create("turn", DRI_SOURCE, in, DRI_ROW_MAJOR, 2, NULL, &xfers[0]));
    ok(DRI_xfer_create("turn", DRI_SINK, out, DRI_COL_MAJOR, 1, NULL, &xfers[1]));
    ok(DRI_xfer_set_attr(xfers[0], DRI_ATTR_WAYS, DRI_WAY_SELF | DRI_WAY_MESSAGE)); /* as between nodes */

    DRI_Memory memory[2];
    if (rank == 0) { /* process 0 asks about both of its endpoints */
        const char *const names[] = {"source", "sink"};
        ok(DRI_xfer_query(all, 2, xfers, memory));
        for (int i = 0; i < 2; ++i)
            printf("%-6s workspace %lld = messages %lld + copies %lld + tiles %lld; "
                   "buffers %lld; least %lld\n",
                   names[i], (long long)memory[i].workspace_bytes, (long long)memory[i].message_bytes,
                   (long long)memory[i].copy_bytes, (long long)memory[i].tile_bytes,
                   (long long)memory[i].buffer_bytes, (long long)memory[i].least_bytes);
    } else { /* the others have no question, but take part */
        ok(DRI_xfer_query(all, 0, NULL, NULL));
    }
    ok(DRI_commit(all)); /* reserves as much */
    /* [/query] */

    if (rank == 0)
        for (int i = 0; i < 2; ++i) {
            DRI_Xfer_info info;
            ok(DRI_xfer_get_info(xfers[i], &info));
            wrong += info.workspace_bytes != memory[i].workspace_bytes;
        }
    ok(DRI_xfer_get_buffer(xfers[0], &buffer));
    float *element = (float *)buffer;
    for (int64_t row = given[0].left_x; row < given[0].right_x; ++row)
        for (int64_t column = 0; column < columns; ++column)
            *element++ = value(row, column);
    ok(DRI_do("turn", DRI_XFER_NULL));
    ok(DRI_xfer_get_buffer(xfers[1], &buffer));
    element = (float *)buffer;
    for (int64_t column = received[1].left_x; column < received[1].right_x; ++column)
        for (int64_t row = 0; row < rows; ++row)
            wrong += *element++ != value(row, column);
    ok(DRI_finalize());
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
