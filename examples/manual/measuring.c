/*
 * Measures a corner turn: bytes and messages, the spread of the times, the times of single frames, the peers, the
 * plan.
 * Run on 4 processes.
 */
#include <dri/dri.h>
#include <stdio.h>
#include <stdlib.h>

enum { rows = 256, columns = 192, frames = 50 };

static void ok(int code) {
    if (code == DRI_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", DRI_error_string(code), DRI_error_message());
    exit(EXIT_FAILURE);
}

static double value(int64_t row, int64_t column, int frame) { return (double)(row * columns + column + frame); }

/* [info] */
static void print_info(const char *side, const DRI_Xfer_info *info) {
    printf("%s: %lld frames, %lld peers, %lld bytes in a buffer, "
           "%lld of workspace, %d us to commit\n",
           side, (long long)info->frames, (long long)info->peers, (long long)info->buffer_bytes,
           (long long)info->workspace_bytes, (int)(1e6 * info->commit_seconds));
    printf("  bytes: %lld self, %lld direct, %lld in %lld messages\n", (long long)info->bytes_self,
           (long long)info->bytes_direct, (long long)info->bytes_message, (long long)info->messages);
    const DRI_Spread *frame = &info->frame_seconds;
    const double p50 = 1e6 * frame->p50, p99 = 1e6 * frame->p99, max = 1e6 * frame->max;
    printf("  frame: p50 %.1f us, p99 %.1f us, max %.1f us, jitter %.1f us\n", p50, p99, max, p99 - p50);
    printf("  of it: waits %.1f us, copies %.1f us (p50)\n", 1e6 * info->wait_seconds.p50,
           1e6 * info->copy_seconds.p50);
}
/* [/info] */

int main(int argc, char **argv) {
    const int64_t sizes[] = {rows, columns};
    int rank, n;
    int64_t wrong = 0, bytes = 0;
    DRI_Group all;
    DRI_Gdo matrix;
    DRI_Part by_rows, by_columns;
    DRI_Dist in, out;
    DRI_Xfer source, sink;
    DRI_Part_tuple given[2], received[2];
    DRI_Xfer_info info;
    void *buffer;

    ok(DRI_init(&argc, &argv));
    ok(DRI_world_rank(&rank));
    ok(DRI_group_create_world(&all));
    ok(DRI_gdo_create(2, DRI_DOUBLE, sizes, &matrix));
    ok(DRI_part_create_blocks(2, 0, &by_rows));
    ok(DRI_part_create_blocks(2, 1, &by_columns));
    ok(DRI_dist_create(matrix, by_rows, all, &in));
    ok(DRI_dist_create(matrix, by_columns, all, &out));
    ok(DRI_dist_get_part(in, rank, given));
    ok(DRI_dist_get_part(out, rank, received));
    ok(DRI_xfer_create("turn", DRI_SOURCE, in, DRI_ROW_MAJOR, 1, NULL, &source));
    ok(DRI_xfer_create("turn", DRI_SINK, out, DRI_COL_MAJOR, 1, NULL, &sink));
    ok(DRI_commit(all));

    for (int frame = 0; frame < frames; ++frame) {
        ok(DRI_xfer_get_buffer(source, &buffer));
        double *element = (double *)buffer;
        for (int64_t row = given[0].left_x; row < given[0].right_x; ++row)
            for (int64_t column = 0; column < columns; ++column)
                *element++ = value(row, column, frame);
        ok(DRI_do("turn", DRI_XFER_NULL));
        ok(DRI_xfer_get_buffer(sink, &buffer));
        element = (double *)buffer;
        for (int64_t column = received[1].left_x; column < received[1].right_x; ++column)
            for (int64_t row = 0; row < rows; ++row)
                wrong += *element++ != value(row, column, frame);
    }

    ok(DRI_xfer_get_info(sink, &info));
    wrong += info.frames != frames;
    wrong += info.bytes_self + info.bytes_direct + info.bytes_message !=
             frames * rows * (received[1].right_x - received[1].left_x) * (int64_t)sizeof(double);
    if (rank == 0)
        print_info("sink of process 0", &info);

    /* [times] */
    static DRI_Frame_times times[DRI_MAX_TIMES];            /* 64 KB: static, not on the stack */
    ok(DRI_xfer_get_times(sink, DRI_MAX_TIMES, times, &n)); /* the oldest first */
    for (int i = 0; rank == 0 && i < n; i += 10)
        printf("frame %lld done at %.6f s, took %.1f us, waited %.1f us\n", (long long)times[i].frame,
               times[i].done, 1e6 * times[i].seconds, 1e6 * times[i].wait_seconds);
    /* [/times] */
    wrong += n != frames || times[n - 1].frame != frames - 1;

    /* [peers] */
    ok(DRI_xfer_get_peers(sink, 0, NULL, &n)); /* how many entries there are */
    DRI_Peer *peers = (DRI_Peer *)malloc((size_t)n * sizeof *peers);
    ok(DRI_xfer_get_peers(sink, n, peers, &n));
    for (int i = 0; i < n; ++i) {
        const char *way = peers[i].way == DRI_WAY_SELF     ? "self"
                          : peers[i].way == DRI_WAY_DIRECT ? "direct"
                                                           : "message";
        if (rank == 0)
            printf("from process %d: %lld bytes per frame, %s, %lld messages\n", peers[i].rank,
                   (long long)peers[i].bytes, way, (long long)peers[i].messages);
        bytes += peers[i].bytes;
    }
    free(peers);
    /* [/peers] */
    wrong += frames * bytes != info.bytes_self + info.bytes_direct + info.bytes_message;

    /* [explain] */
    static char text[10000]; /* what does not fit is cut */
    ok(DRI_xfer_explain(sink, text, sizeof text));
    if (rank == 0)
        printf("%s", text);
    /* [/explain] */
    ok(DRI_finalize());
    return wrong > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
