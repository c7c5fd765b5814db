/*
 * Which way each pair of processes takes: as the machine has it, without the direct way, and with short messages.
 * Run on 4 processes.
 */
#include <dri/dri.h>
#include <stdio.h>
#include <stdlib.h>

enum { rows = 300, columns = 200 };

static void ok(int code) {
    if (code == DRI_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", DRI_error_string(code), DRI_error_message());
    exit(EXIT_FAILURE);
}

static float value(int64_t row, int64_t column) { return (float)(row * columns + column); }

/* Bytes by each way that the sink receives in a frame from other processes and from its own. */
static void count_ways(DRI_Xfer sink, int64_t *direct, int64_t *message, int64_t *messages) {
    /* [peers] */
    static DRI_Peer peers[100];
    int n;
    ok(DRI_xfer_get_peers(sink, 100, peers, &n)); /* after the commit; n may exceed the capacity, 100 */
    *direct = *message = *messages = 0;
    for (int k = 0; k < n && k < 100; ++k) {
        if (peers[k].way == DRI_WAY_DIRECT)
            *direct += peers[k].bytes;
        if (peers[k].way == DRI_WAY_MESSAGE)
            *message += peers[k].bytes, *messages += peers[k].messages;
    }
    /* [/peers] */
}

int main(int argc, char **argv) {
    const int64_t sizes[] = {rows, columns};
    int rank, wrong = 0;
    DRI_Group all;
    DRI_Gdo matrix;
    DRI_Part by_rows, by_columns;
    DRI_Dist in, out;
    DRI_Part_tuple part[2];
    void *buffer;

    ok(DRI_init(&argc, &argv));
    ok(DRI_world_rank(&rank));
    ok(DRI_group_create_world(&all));
    ok(DRI_gdo_create(2, DRI_FLOAT, sizes, &matrix));
    ok(DRI_part_create_blocks(2, 0, &by_rows));
    ok(DRI_part_create_blocks(2, 1, &by_columns));
    ok(DRI_dist_create(matrix, by_rows, all, &in));
    ok(DRI_dist_create(matrix, by_columns, all, &out));

    for (int variant = 0; variant < 3; ++variant) {
        DRI_Xfer source, sink;
        ok(DRI_xfer_create("turn", DRI_SOURCE, in, DRI_ROW_MAJOR, 1, NULL, &source));
        ok(DRI_xfer_create("turn", DRI_SINK, out, DRI_COL_MAJOR, 1, NULL, &sink));
        /* [attributes] */
        if (variant > 0) /* one endpoint on one process is enough: it holds for the whole transfer */
            ok(DRI_xfer_set_attr(sink, DRI_ATTR_WAYS, DRI_WAY_SELF | DRI_WAY_MESSAGE));
        if (variant > 1 && rank == 3)
            ok(DRI_xfer_set_attr(sink, DRI_ATTR_MESSAGE_BYTES, 4096));
        /* [/attributes] */
        ok(DRI_commit(all));

        int64_t direct, message, messages;
        count_ways(sink, &direct, &message, &messages);
        wrong += variant > 0 && direct != 0;
        wrong += direct + message != 3 * 75 * 50 * 4; /* 75 rows and 50 columns with each of three processes */
        if (rank == 0)
            printf("variant %d: process 0 receives %lld bytes direct and %lld bytes in %lld messages\n", variant,
                   (long long)direct, (long long)message, (long long)messages);

        ok(DRI_dist_get_part(in, rank, part));
        ok(DRI_xfer_get_buffer(source, &buffer));
        float *element = (float *)buffer;
        for (int64_t i = part[0].left_x; i < part[0].right_x; ++i)
            for (int64_t j = 0; j < columns; ++j)
                *element++ = value(i, j);
        ok(DRI_do("turn", DRI_XFER_NULL));
        ok(DRI_dist_get_part(out, rank, part));
        ok(DRI_xfer_get_buffer(sink, &buffer));
        element = (float *)buffer;
        for (int64_t j = part[1].left_x; j < part[1].right_x; ++j)
            for (int64_t i = 0; i < rows; ++i)
                wrong += *element++ != value(i, j);

        /* [explain] */
        static char text[10000];
        ok(DRI_xfer_explain(sink, text, sizeof text));
        if (rank == 0)
            printf("%s\n", text);
        /* [/explain] */
        ok(DRI_xfer_destroy(&source));
        ok(DRI_xfer_destroy(&sink));
    }

    if (wrong > 0)
        printf("process %d: %d values are wrong\n", rank, wrong);
    ok(DRI_finalize());
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
