/*
 * A pipeline of two stages on processes of their own. The front end computes matrices in rows, the back
 * end receives them in columns. Each frame carries a text, and the front end alone knows how many frames
 * there are.
 *
 * Run on 5 processes.
 */
#include <dri/dri.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { rows = 100, columns = 64, frames = 12 };

static void ok(int code) {
    if (code == DRI_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", DRI_error_string(code), DRI_error_message());
    exit(EXIT_FAILURE);
}

static float value(int64_t frame, int64_t row, int64_t column) {
    return (float)((frame * rows + row) * columns + column);
}

/* [declare] */
/* Declares an endpoint of "cube" with two buffers, cut along one dimension over the group. */
static DRI_Xfer declare_endpoint(DRI_Role role, DRI_Group group, int dim, DRI_Layout layout,
                                 DRI_Part_tuple mine[2]) {
    const int64_t sizes[] = {rows, columns};
    int rank;
    DRI_Gdo matrix;
    DRI_Part part;
    DRI_Dist dist;
    DRI_Xfer endpoint;
    ok(DRI_gdo_create(2, DRI_FLOAT, sizes, &matrix));
    ok(DRI_part_create_blocks(2, dim, &part));
    ok(DRI_dist_create(matrix, part, group, &dist));
    ok(DRI_xfer_create("cube", role, dist, layout, 2, NULL, &endpoint));
    ok(DRI_world_rank(&rank));
    ok(DRI_dist_get_part(dist, rank, mine));
    return endpoint;
}
/* [/declare] */

/* [source] */
static void run_front_end(DRI_Xfer source, const DRI_Part_tuple mine[2]) {
    void *buffer;
    for (int64_t frame = 0; frame < frames; ++frame) {
        ok(DRI_next(source, &buffer)); /* waits until the next buffer is free */
        float *element = (float *)buffer;
        for (int64_t row = mine[0].left_x; row < mine[0].right_x; ++row)
            for (int64_t column = 0; column < columns; ++column)
                *element++ = value(frame, row, column);

        DRI_Frame about;
        memset(&about, 0, sizeof about);
        about.bytes = snprintf((char *)about.data, sizeof about.data, "dwell %d", (int)frame);
        ok(DRI_insert(source, &about)); /* hands the frame over; does not wait */
    }
    ok(DRI_xfer_close(source));
}
/* [/source] */

/* [sink] */
static int64_t run_back_end(DRI_Xfer sink, const DRI_Part_tuple mine[2]) {
    int64_t wrong = 0, received = 0;
    void *buffer;
    DRI_Frame about;
    int code;
    while ((code = DRI_extract(sink, &buffer, &about)) == DRI_SUCCESS) {
        char expected[32];
        const int length = snprintf(expected, sizeof expected, "dwell %d", (int)received);
        wrong += about.number != received || about.bytes != length;
        wrong += memcmp(about.data, expected, (size_t)length) != 0;

        const float *element = (const float *)buffer;
        for (int64_t column = mine[1].left_x; column < mine[1].right_x; ++column)
            for (int64_t row = 0; row < rows; ++row)
                wrong += *element++ != value(received, row, column);

        ok(DRI_release(sink)); /* gives the buffer back */
        ++received;
    }
    if (code != DRI_END_OF_STREAM)
        ok(code);
    return wrong + (received != frames); /* a check of this program alone */
}
/* [/sink] */

/* [main] */
int main(int argc, char **argv) {
    const int front_ranks[] = {0, 1}, back_ranks[] = {2, 3, 4};
    int rank, size;
    DRI_Group all, front, back;
    DRI_Xfer endpoint;
    DRI_Part_tuple mine[2];

    ok(DRI_init(&argc, &argv));
    ok(DRI_world_rank(&rank));
    ok(DRI_world_size(&size));
    if (size != 5) {
        fprintf(stderr, "this program runs on 5 processes\n");
        return EXIT_FAILURE;
    }
    ok(DRI_group_create_world(&all));
    ok(DRI_group_create(2, front_ranks, &front));
    ok(DRI_group_create(3, back_ranks, &back));

    if (rank < 2) {
        endpoint = declare_endpoint(DRI_SOURCE, front, 0, DRI_ROW_MAJOR, mine);
        ok(DRI_xfer_set_attr(endpoint, DRI_ATTR_STREAM, 1));
    } else {
        endpoint = declare_endpoint(DRI_SINK, back, 1, DRI_COL_MAJOR, mine);
    }
    ok(DRI_commit(all));

    int64_t wrong = 0;
    if (rank < 2)
        run_front_end(endpoint, mine);
    else
        wrong = run_back_end(endpoint, mine);
    if (rank >= 2)
        printf("process %d received %d frames of columns %lld to %lld: %lld errors\n", rank, frames,
               (long long)mine[1].left_x, (long long)mine[1].right_x - 1, (long long)wrong);

    ok(DRI_finalize());
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
/* [/main] */
